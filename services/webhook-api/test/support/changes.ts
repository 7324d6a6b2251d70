import type { ChangeEvent } from '@surehook/contracts/events'
import { changeKey, newEventId } from '@surehook/contracts/ids'
import { changesTopic } from '@surehook/contracts/topics'
import { walPositionHeader } from '@surehook/contracts/wal-position'
import type { Client as PgClient } from 'pg'
import type { Tenant, World } from './under-test.ts'

export type ChangeFields = Partial<Omit<ChangeEvent, 'record'>> & {
  record?: object
  walPosition?: string
}

/** Publishes changes of the tenant's `orders`, each with a new record unless an id is given. */
export async function logChanges(
  { producer, codec }: Pick<World, 'producer' | 'codec'>,
  { projectId, environment }: Tenant,
  changes: readonly ChangeFields[],
): Promise<ChangeEvent[]> {
  const made = changes.map(({ record = {}, walPosition, ...change }) => {
    const id = change.id ?? newEventId()
    const event: ChangeEvent = {
      timestamp: new Date().toISOString(),
      projectId,
      environment,
      table: 'orders',
      recordId: id,
      operation: 'INSERT',
      changedFields: [],
      source: 'test',
      requestId: null,
      traceparent: null,
      ...change,
      id,
      record: JSON.stringify(record),
    }
    return { event, walPosition }
  })
  await producer.send(
    made.map(({ event, walPosition }) => ({
      topic: changesTopic,
      key: changeKey(event),
      value: codec.change.encode(event),
      ...(walPosition !== undefined && { headers: { [walPositionHeader]: walPosition } }),
    })),
  )
  return made.map(({ event }) => event)
}

/** Returns the position of the WAL's end. */
export async function walEnd(pg: PgClient): Promise<string> {
  const { rows } = await pg.query<{ system: string; lsn: string }>(
    `select (select system_identifier::text from pg_control_system()) as system,
            lpad(to_hex((pg_current_wal_insert_lsn() - '0/0')::bigint), 16, '0') as lsn`,
  )
  return `${rows[0]?.system}/00000001/${rows[0]?.lsn}`
}
