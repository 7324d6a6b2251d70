import { eventSchemas } from '@surehook/schemas/event-schemas'
import avro from 'avsc'

/**
 * Returns why an earlier schema of an event and its schema of this version do not read each other's
 * values. Old and new replicas exchange events during an upgrade, and old events stay on topics.
 */
export function schemaFaults(
  earlier: avro.Schema,
  schemas: readonly { type: avro.Type }[] = Object.values(eventSchemas),
): string[] {
  const older = avro.Type.forSchema(earlier, { omitRecordMethods: true })
  const now = schemas.find(({ type }) => type.name === older.name)?.type
  if (now === undefined) return [`${older.name} is gone, but may still be on its topic`]
  return [
    ...readFaults(now, older, 'this version does not read values of the earlier one'),
    ...readFaults(older, now, 'the earlier version does not read values of this one'),
  ]
}

function readFaults(reader: avro.Type, writer: avro.Type, what: string): string[] {
  try {
    reader.createResolver(writer)
    return []
  } catch (err) {
    return [`${what}: ${(err as Error).message}`]
  }
}
