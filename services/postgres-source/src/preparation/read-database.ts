import type { ClientBase, Pool } from 'pg'

/** The parts of a database that capturing its changes depends on. */
export type DatabaseFacts = {
  version: number
  host: Vendor
  role: string
  walLevel: string
  /** The role may start replication. */
  mayReplicate: boolean
  /** Megabytes; -1: no limit. */
  keptWalMegabytes: number
  isStandby: boolean
  /** `null`: the publication does not exist. */
  publication: PublicationFacts | null
  tables: readonly TableFacts[]
}

/** Whose commands differ from PostgreSQL's own. */
export type Vendor = 'postgresql' | 'rds' | 'cloud-sql' | 'supabase' | 'neon'

export type PublicationFacts = {
  /** Operations that it leaves out, in the words of `CREATE PUBLICATION`. */
  missing: readonly string[]
  /** Rows of partitions count as rows of their table. */
  viaRoot: boolean
}

export type TableFacts = {
  /** `schema.name` as the user asked for it. */
  relation: string
  /** `null`: there is no such table. */
  oid: number | null
  /** `d` default, `n` nothing, `f` full, `i` index. */
  replicaIdentity: string
  hasPrimaryKey: boolean
  isPartitioned: boolean
  /** Partitions whose replica identity is not FULL. New ones do not inherit that of the table. */
  partialPartitions: readonly string[]
  maySelect: boolean
  isPublished: boolean
  /** The publication sends only these columns. */
  hasColumnList: boolean
  hasRowFilter: boolean
}

type FactsRow = Omit<DatabaseFacts, 'host'> & { roles: string[] }

const vendors: readonly (readonly [role: string, Vendor])[] = [
  ['rds_replication', 'rds'],
  ['cloudsqlsuperuser', 'cloud-sql'],
  ['supabase_admin', 'supabase'],
  ['neon_superuser', 'neon'],
]

/** @param relations as `schema.name`, quoted where SQL needs it */
export async function readDatabase(
  db: ClientBase | Pool,
  { publication, relations }: { publication: string; relations: readonly string[] },
): Promise<DatabaseFacts> {
  const { rows } = await db.query<FactsRow>(sql, [
    publication,
    relations,
    vendors.map(([role]) => role),
  ])
  const [row] = rows
  if (row === undefined) throw new Error('PostgreSQL returned no row')
  const { roles, ...facts } = row
  const host = vendors.find(([role]) => roles.includes(role))?.[1] ?? 'postgresql'
  return { ...facts, host }
}

// Casts to regclass raise for a table that does not exist; to_regclass returns null.
const sql = `
with published as (
  select p.oid, p.pubviaroot, p.pubinsert, p.pubupdate, p.pubdelete, p.pubtruncate
    from pg_publication p where p.pubname = $1
), wanted as (
  select w.relation, w.place, c.oid, c.relreplident, c.relkind
    from unnest($2::text[]) with ordinality as w(relation, place)
    left join pg_class c on c.oid = to_regclass(w.relation) and c.relkind in ('r', 'p')
)
select current_setting('server_version_num')::int / 10000 as version,
       current_user::text as role,
       current_setting('wal_level') as "walLevel",
       (select rolreplication or rolsuper from pg_roles where rolname = current_user)
         or coalesce((select pg_has_role(oid, 'member') from pg_roles where rolname = 'rds_replication'),
                     false) as "mayReplicate",
       (select setting::float8 from pg_settings where name = 'max_slot_wal_keep_size')
         as "keptWalMegabytes",
       pg_is_in_recovery() as "isStandby",
       array(select rolname::text from pg_roles where rolname = any($3)) as roles,
       (select jsonb_build_object(
                 'viaRoot', pubviaroot,
                 'missing', array_remove(array[
                   case when not pubinsert then 'insert' end, case when not pubupdate then 'update' end,
                   case when not pubdelete then 'delete' end,
                   case when not pubtruncate then 'truncate' end], null))
          from published) as publication,
       coalesce((
         select jsonb_agg(jsonb_build_object(
                  'relation', w.relation,
                  'oid', w.oid::bigint,
                  'replicaIdentity', coalesce(w.relreplident, 'd'),
                  'isPartitioned', coalesce(w.relkind = 'p', false),
                  'partialPartitions', coalesce((
                    select jsonb_agg(leaf.oid::regclass::text order by leaf.oid)
                      from pg_partition_tree(w.oid) tree
                      join pg_class leaf on leaf.oid = tree.relid
                     where w.relkind = 'p' and tree.isleaf and leaf.relreplident <> 'f'), '[]'),
                  'hasPrimaryKey', exists (
                    select from pg_index i where i.indrelid = w.oid and i.indisprimary),
                  'maySelect', coalesce(has_table_privilege(w.oid, 'select'), false),
                  'isPublished', coalesce(t.is_published, false),
                  'hasColumnList', coalesce(t.has_column_list, false),
                  'hasRowFilter', coalesce(t.has_row_filter, false)) order by w.place)
           from wanted w
           left join lateral (
             select true as is_published,
                    array_length(pt.attnames, 1) < (
                      select count(*) from pg_attribute a
                       where a.attrelid = w.oid and a.attnum > 0 and not a.attisdropped
                         and a.attgenerated = '') as has_column_list,
                    pt.rowfilter is not null as has_row_filter
               from pg_publication_tables pt
               join pg_class c on c.relname = pt.tablename
               join pg_namespace n on n.oid = c.relnamespace and n.nspname = pt.schemaname
              where pt.pubname = $1
                and (c.oid = w.oid or c.oid in (select relid from pg_partition_tree(w.oid)))
              limit 1) t on true), '[]') as tables`
