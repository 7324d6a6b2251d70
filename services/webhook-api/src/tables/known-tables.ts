import type { TableState } from '@surehook/contracts/events'
import { deliveryEventTables } from '@surehook/contracts/events/delivery-events'
import { type FieldType, fieldTypes } from '@surehook/contracts/filter/filter'
import { AccessEntry } from '@surehook/contracts/http/data/access'
import { assignedFields } from '@surehook/contracts/http/data/names'
import { isReservedTable } from '@surehook/contracts/http/data/reserved-tables'
import { tablesTopic } from '@surehook/contracts/topics'
import type { Kafka } from '@surehook/kafka/client/surface'
import { openTopicView } from '@surehook/kafka/views/topic-view'
import { type EventCodec, type TypeCodec, UndecodableError } from '@surehook/schemas/codec'
import type { Logger } from '@surehook/service-kit/telemetry/log'
import * as z from 'zod'

export type Fields = ReadonlyMap<string, FieldType>
export type TablePlace = { projectId: string; environment: string; table: string }

/** What streams to users need of a table of data-api. A change makes another object. */
export type ReadableTable = {
  readonly fields: Fields
  /** The roles and rules that may read. */
  readonly entries: readonly AccessEntry[]
  /** Epoch milliseconds. Earlier changes are of an earlier table of this name. */
  readonly createdAt: number
}

export type KnownTables = AsyncDisposable & {
  readonly ready: Promise<void>
  readonly healthy: boolean
  /** Resolves once every table that was answered before this call is known. */
  current(): Promise<void>
  /**
   * Returns `undefined` for an unknown table, which may be created later or belong to another
   * service, and for a table of a source whose columns are not known yet.
   */
  fieldsOf(place: TablePlace): Fields | undefined
  /** True for a table of a source whose columns are not known yet. */
  awaitsColumns(place: TablePlace): boolean
  /**
   * Returns `undefined` for every table whose records are not in data-api, and for one whose rules
   * are not known.
   */
  readableOf(place: TablePlace): ReadableTable | undefined
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
  const byKey = new Map<string, KnownTable>()
  const listeners: ((place: TablePlace) => void)[] = []
  const stateOf = ({ projectId, environment, table }: TablePlace) =>
    byKey.get(`${projectId}/${environment}/${table}`)
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
      const known = byKey.get(key)
      const { columns, access, createdAt, source } = table
      const text = JSON.stringify([columns, access, createdAt, source])
      if (known?.text !== text) byKey.set(key, knownTable(table, text))
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
    fieldsOf: (place) => deliveryEventTables.get(place.table) ?? stateOf(place)?.fields,
    awaitsColumns(place) {
      const table = stateOf(place)
      return table !== undefined && table.fields === undefined
    },
    readableOf(place) {
      return isReservedTable(place.table) ? undefined : stateOf(place)?.readable
    },
    onChange: (listener) => void listeners.push(listener),
    [Symbol.asyncDispose]: () => view[Symbol.asyncDispose](),
  }
}

/** `text` has all that may change. */
type KnownTable = {
  text: string
  /** `undefined`: of a source whose columns are not known yet. */
  fields: Fields | undefined
  readable: ReadableTable | undefined
}

function knownTable(table: TableState, text: string): KnownTable {
  const columns = columnsOf(table)
  // A table of a source has no other fields, and none are known until postgres-source finds them.
  // Nobody may read it: it has no rules.
  if (table.source !== null) {
    return { text, fields: columns.size > 0 ? columns : undefined, readable: undefined }
  }
  const fields: Fields = new Map([...Object.entries(assignedFields), ...columns])
  return { text, fields, readable: readableTable(table, fields) }
}

function readableTable(
  { access, createdAt }: TableState,
  fields: Fields,
): ReadableTable | undefined {
  if (access === null || createdAt === null) return undefined
  // A later data-api may write other rules. Who reads them wrongly would show too much.
  const entries = ReadEntries.safeParse(JSON.parse(access))
  if (!entries.success) return undefined
  return { fields, entries: entries.data, createdAt: Date.parse(createdAt) }
}

const ReadEntries = z.array(AccessEntry)

function columnsOf({ columns }: TableState): Fields {
  const fields = columns.map(({ name, type }): [string, FieldType] => {
    if (!types.has(type)) throw new UndecodableError(`columns: unknown type "${type}"`)
    return [name, type as FieldType]
  })
  return new Map(fields)
}
