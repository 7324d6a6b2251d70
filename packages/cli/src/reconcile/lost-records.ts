import type { ChangeEvent } from '@surehook/contracts/events'
import type { KafkaMessage } from '@surehook/kafka/client/surface'
import type { EventCodec } from '@surehook/schemas/codec'
import { type Client, escapeIdentifier } from 'pg'
import type { ClusterHistory } from './cluster-history.ts'
import { type RefusedRow, tryRow } from './refused-rows.ts'

/** The newest changes that are missing in the tables, by the place of the record. */
export type LostRecords = {
  /** Compares the messages with the tables. */
  take(messages: readonly KafkaMessage[]): Promise<void>
  readonly changes: ReadonlyMap<string, ChangeEvent>
  /** Missing tables as `project/environment/table`, with the number of their changes. */
  readonly withoutTable: ReadonlyMap<string, number>
}

/** The service that publishes the changes of table rows. */
const source = 'data-api'

export function findLostRecords(
  db: Client,
  codec: Pick<EventCodec, 'change'>,
  history: Pick<ClusterHistory, 'has'>,
): LostRecords {
  const changes = new Map<string, ChangeEvent>()
  const withoutTable = new Map<string, number>()

  async function takeOfTable(place: string, ofTable: readonly ChangeEvent[]): Promise<void> {
    const [{ projectId, environment, table } = { projectId: '', environment: '', table: '' }] =
      ofTable
    const name = await tableName(db, { projectId, environment, table })
    if (name === undefined) {
      withoutTable.set(place, (withoutTable.get(place) ?? 0) + ofTable.length)
      return
    }
    const { rows } = await db.query<{ id: string; updated_at: Date }>(
      `select "id" as id, "updatedAt" as updated_at from ${name} where "id" = any($1::uuid[])`,
      [ofTable.map(({ recordId }) => recordId)],
    )
    const known = new Map(rows.map(({ id, updated_at }) => [id, updated_at.getTime()]))
    for (const change of ofTable) {
      const key = `${place}/${change.recordId}`
      if (isThere(change, known.get(change.recordId))) changes.delete(key)
      else changes.set(key, change)
    }
  }

  return {
    changes,
    withoutTable,
    async take(messages) {
      const newest = new Map<string, Map<string, ChangeEvent>>()
      for (const message of messages) {
        // The restored WAL has this change. Its row may since have changed or been deleted.
        if (message.value === null || history.has(message)) continue
        const change = await codec.change.decode(message.value)
        if (change.source !== source) continue
        const place = `${change.projectId}/${change.environment}/${change.table}`
        const ofTable = newest.get(place) ?? new Map<string, ChangeEvent>()
        newest.set(place, ofTable.set(change.recordId, change))
      }
      for (const [place, ofTable] of newest) await takeOfTable(place, [...ofTable.values()])
    },
  }
}

/**
 * Every change of a record raises its `updatedAt`. A deleted record keeps the `updatedAt` of its
 * last change.
 */
function isThere({ operation, record }: ChangeEvent, updatedAt: number | undefined): boolean {
  const capturedAt = Date.parse(String((JSON.parse(record) as { updatedAt?: string }).updatedAt))
  if (operation === 'DELETE') return updatedAt === undefined || updatedAt > capturedAt
  return updatedAt !== undefined && updatedAt >= capturedAt
}

/**
 * Writes the changes without emitting new events, because the topic already has their events.
 * Returns the records that PostgreSQL refused.
 */
export async function writeBack(db: Client, changes: Iterable<ChangeEvent>): Promise<RefusedRow[]> {
  const refused: RefusedRow[] = []
  for (const change of changes) {
    const { projectId, environment, table, recordId } = change
    const reason = await tryRow(db, () => writeRecordBack(db, change))
    const row = `record ${projectId}/${environment}/${table}/${recordId}`
    if (reason !== null) refused.push({ row, reason })
  }
  return refused
}

async function writeRecordBack(db: Client, change: ChangeEvent): Promise<void> {
  const name = await tableName(db, change)
  if (name === undefined) return
  if (change.operation === 'DELETE') {
    await db.query(`delete from ${name} where "id" = $1`, [change.recordId])
  } else {
    await db.query(await upsertSql(db, name), [change.record])
  }
}

type TablePlace = Pick<ChangeEvent, 'projectId' | 'environment' | 'table'>

async function tableName(
  db: Client,
  { projectId, environment, table }: TablePlace,
): Promise<string | undefined> {
  const { rows } = await db.query<{ schema_name: string }>(
    `select schema_name from data_api.table_definition
     where project_id = $1 and environment = $2 and name = $3 and schema_name is not null`,
    [projectId, environment, table],
  )
  const [found] = rows
  return found && `${escapeIdentifier(found.schema_name)}.${escapeIdentifier(table)}`
}

async function upsertSql(db: Client, name: string): Promise<string> {
  const { rows } = await db.query<{ name: string }>(
    `select attname as name from pg_attribute
     where attrelid = $1::regclass and attnum > 0 and not attisdropped`,
    [name],
  )
  const columns = rows.map((row) => escapeIdentifier(row.name))
  const set = columns.map((column) => `${column} = excluded.${column}`).join(', ')
  return `insert into ${name} (${columns.join(', ')})
    select ${columns.join(', ')} from json_populate_record(null::${name}, $1::json)
    on conflict ("id") do update set ${set}`
}
