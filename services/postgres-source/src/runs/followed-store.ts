import type { ClientBase, Pool } from 'pg'
import type { Following } from '../capture/wal-changes.ts'
import type { SourceRow } from '../source-row.ts'
import type { SourceTable } from '../tables/source-tables.ts'

/** `relation`: as the user named it. `schema` and `name`: what it is called now. */
export type Followed = Following & {
  createdAt: string
  relation: string
  schema: string
  name: string
}

/** A relation that was followed until now, with its present name; `null`: it is gone. */
export type StoredRelation = { oid: number; schema: string | null; name: string | null }

/**
 * By table, what it followed, if it still names the same relation. OIDs of another cluster mean
 * nothing.
 */
export async function readKept(
  { own, source }: { own: Pool; source: ClientBase },
  { id }: SourceRow,
  tables: readonly SourceTable[],
): Promise<Map<string, StoredRelation>> {
  const { rows: clusters } = await source.query<{ systemId: string }>(
    'select system_identifier::text as "systemId" from pg_control_system()',
  )
  const { rows: stored } = await own.query<{ table: string; relation: string; oid: number }>(
    `select f.table_name as table, f.relation, f.relation_oid::bigint::float8 as oid
       from followed_table f join source s on s.id = f.source_id
      where s.id = $1 and (s.system_id is null or s.system_id = $2)`,
    [id, clusters[0]?.systemId],
  )
  const { rows: found } = await source.query<{ oid: number; schema: string; name: string }>(
    `select c.oid::bigint::float8 as oid, n.nspname::text as schema, c.relname::text as name
       from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where c.oid = any($1::oid[])`,
    [stored.map(({ oid }) => oid)],
  )
  return new Map(
    tables.flatMap(({ table, relation }): [string, StoredRelation][] => {
      const of = stored.find((one) => one.table === table && one.relation === relation)
      if (of === undefined) return []
      const now = found.find(({ oid }) => oid === of.oid)
      return [[table, { oid: of.oid, schema: now?.schema ?? null, name: now?.name ?? null }]]
    }),
  )
}

/** Stores what the tables follow, so that a rename keeps it. */
export async function keepFollowed(
  own: Pool,
  sourceId: string,
  following: ReadonlyMap<number, Followed>,
): Promise<void> {
  const kept = [...following].map(([oid, { table, relation }]) => ({ table, relation, oid }))
  await own.query(
    `with wanted as (
       select * from json_to_recordset($2) as w("table" text, relation text, oid oid)
     ), gone as (
       delete from followed_table
        where source_id = $1 and table_name <> all(array(select "table" from wanted))
     )
     insert into followed_table (source_id, table_name, relation, relation_oid)
     select $1, "table", relation, oid from wanted
      where exists (select from source where id = $1)
     on conflict (source_id, table_name) do update
       set relation = excluded.relation, relation_oid = excluded.relation_oid
       where (followed_table.relation, followed_table.relation_oid)
             is distinct from (excluded.relation, excluded.relation_oid)`,
    [sourceId, JSON.stringify(kept)],
  )
}

/** The gap of the table is stated, so that it is not stated again when the source is prepared. */
export async function forgetFollowed(own: Pool, sourceId: string, table: string): Promise<void> {
  await own.query('delete from followed_table where source_id = $1 and table_name = $2', [
    sourceId,
    table,
  ])
}
