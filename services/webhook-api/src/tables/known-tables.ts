import type { TableState } from '@surehook/contracts/events'
import { deliveryEventTables } from '@surehook/contracts/events/delivery-events'
import { type FieldType, fieldTypes } from '@surehook/contracts/filter/filter'
import { assignedFields } from '@surehook/contracts/http/data/names'
import { tablesTopic } from '@surehook/contracts/topics'
import type { Kafka } from '@surehook/kafka/client/surface'
import { openTopicView } from '@surehook/kafka/views/topic-view'
import { type EventCodec, type TypeCodec, UndecodableError } from '@surehook/schemas/codec'
import type { Logger } from '@surehook/service-kit/telemetry/log'

export type Fields = ReadonlyMap<string, FieldType>
export type TablePlace = { projectId: string; environment: string; table: string }

export type KnownTables = AsyncDisposable & {
  readonly ready: Promise<void>
  readonly healthy: boolean
  /** Resolves once every table that was answered before this call is known. */
  current(): Promise<void>
  /**
   * Returns `undefined` for an unknown table, which may be created later or belong to another
   * service.
   */
  fieldsOf(place: TablePlace): Fields | undefined
  /** Calls `listener` for each table that appears or changes from now on. */
  onChange(listener: (place: TablePlace) => void): void
}

const types: ReadonlySet<string> = new Set(fieldTypes)

/** Follows the tables of data-api on their compacted topic. */
export async function openKnownTables({
  kafka,
  codec,
  clientId,
  log,
}: {
  kafka: Kafka
  codec: Pick<EventCodec, 'table'>
  clientId: string
  log: Logger
}): Promise<KnownTables> {
  const byKey = new Map<string, Fields>()
  const listeners: ((place: TablePlace) => void)[] = []
  const view = await openTopicView<TableState>({
    kafka,
    codec: { ofTopic: (): TypeCodec<TableState> => codec.table },
    clientId: `${clientId}.tables`,
    topics: [tablesTopic],
    apply(_topic, key, table) {
      if (table === null) {
        byKey.delete(key)
        return
      }
      byKey.set(key, fieldsOf(table))
      const { projectId, environment, name } = table
      for (const listener of listeners) listener({ projectId, environment, table: name })
    },
    log,
  })
  return {
    ready: view.ready,
    get healthy() {
      return view.healthy
    },
    current: () => view.barrier(),
    fieldsOf: ({ projectId, environment, table }) =>
      deliveryEventTables.get(table) ?? byKey.get(`${projectId}/${environment}/${table}`),
    onChange: (listener) => void listeners.push(listener),
    [Symbol.asyncDispose]: () => view[Symbol.asyncDispose](),
  }
}

function fieldsOf({ columns }: TableState): Fields {
  const fields = columns.map(({ name, type }): [string, FieldType] => {
    if (!types.has(type)) throw new UndecodableError(`columns: unknown type "${type}"`)
    return [name, type as FieldType]
  })
  return new Map([...Object.entries(assignedFields), ...fields])
}
