import type { SourceColumnsState } from '@surehook/contracts/events'
import { ColumnType } from '@surehook/contracts/http/data/tables'
import { sourceColumnsTopic } from '@surehook/contracts/topics'
import { openTopicView, type TopicViewOptions } from '@surehook/kafka/views/topic-view'
import { type EventCodec, UndecodableError } from '@surehook/schemas/codec'
import type { Pool } from 'pg'
import type { Column } from '../table-definition.ts'

/** Columns that postgres-source found, with the table that they are of. */
type FoundColumns = Omit<SourceColumnsState, 'columns'> & { columns: readonly Column[] }

type SourceColumns = AsyncDisposable & {
  /** Writes some of the columns that came into the catalogue. Resolves with whether there are more. */
  write(pool: Pool): Promise<boolean>
}

export type SourceColumnsOptions = Pick<
  TopicViewOptions<SourceColumnsState>,
  'kafka' | 'clientId' | 'log'
> & { codec: Pick<EventCodec, 'sourceColumns'> }

const pageSize = 100

/**
 * Follows the columns of tables of sources. Each replica writes them: what another one has written,
 * it finds and leaves.
 */
export async function openSourceColumns({
  kafka,
  codec,
  clientId,
  log,
}: SourceColumnsOptions): Promise<SourceColumns> {
  const waiting = new Map<string, FoundColumns>()
  const view = await openTopicView<SourceColumnsState>({
    kafka,
    codec: { ofTopic: () => codec.sourceColumns },
    clientId: `${clientId}.source-columns`,
    topics: [sourceColumnsTopic],
    apply(_topic, key, state) {
      if (state === null) waiting.delete(key)
      else waiting.set(key, foundColumns(state))
    },
    log,
  })
  return {
    async write(pool) {
      const page = [...waiting].slice(0, pageSize)
      if (page.length === 0) return false
      await writeColumns(
        pool,
        page.map(([, found]) => found),
      )
      // Newer ones may have come meanwhile.
      for (const [key, found] of page) if (waiting.get(key) === found) waiting.delete(key)
      return waiting.size > 0
    },
    [Symbol.asyncDispose]: () => view[Symbol.asyncDispose](),
  }
}

function foundColumns(state: SourceColumnsState): FoundColumns {
  return {
    ...state,
    tableCreatedAt: timeOf(state.tableCreatedAt),
    updatedAt: timeOf(state.updatedAt),
    columns: state.columns.map(foundColumn),
  }
}

/** As PostgreSQL reads it: one that it refused would hold up all others. */
function timeOf(at: string): string {
  const time = new Date(at)
  if (Number.isNaN(time.getTime())) throw new UndecodableError(`"${at}" is no time`)
  return time.toISOString()
}

function foundColumn({ name, type }: SourceColumnsState['columns'][number]): Column {
  const known = ColumnType.safeParse(type)
  if (!known.success) throw new UndecodableError(`columns: unknown type "${type}"`)
  return { name, type: known.data, required: false, unique: false, default: null }
}

/**
 * A table that was made anew has another `created_at`. It never takes the columns of the earlier
 * one. All replicas lock the rows in one order.
 */
const sql = `
with found as (
  select t.id, s.columns, s.at
    from unnest($1::text[], $2::text[], $3::text[], $4::timestamptz[], $5::text[], $6::timestamptz[])
         as s(project_id, environment, name, created_at, columns, at)
    join table_definition t using (project_id, environment, name, created_at)
   where t.source is not null
     and (t.columns_at is null or t.columns_at < s.at
          or (t.columns_at = s.at and t.columns::text <> s.columns))
   order by t.id
     for update of t
)
update table_definition t
   set columns = found.columns::json, columns_at = found.at, version = version + 1,
       updated_at = greatest(clock_timestamp(), updated_at)
  from found
 where t.id = found.id`

async function writeColumns(pool: Pool, found: readonly FoundColumns[]): Promise<void> {
  const all = <Name extends keyof FoundColumns>(name: Name) => found.map((one) => one[name])
  await pool.query(sql, [
    ...[all('projectId'), all('environment'), all('table'), all('tableCreatedAt')],
    found.map(({ columns }) => JSON.stringify(columns)),
    all('updatedAt'),
  ])
}
