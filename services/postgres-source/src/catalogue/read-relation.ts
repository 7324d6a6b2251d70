import type { ClientBase } from 'pg'
import type { RelationMessage } from '../wal/pgoutput.ts'

type ColumnRow = { schema: string; relation: string; name: string; type: number }

/** Reads the columns of a table as its relation message has them. `null`: there is no such table. */
export async function readRelation(db: ClientBase, oid: number): Promise<RelationMessage | null> {
  const { rows } = await db.query<ColumnRow>(
    `select n.nspname::text as schema, c.relname::text as relation,
            a.attname::text as name, a.atttypid::bigint::float8 as type
       from pg_class c
       join pg_namespace n on n.oid = c.relnamespace
       join pg_attribute a on a.attrelid = c.oid
      where c.oid = $1 and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
      order by a.attnum`,
    [oid],
  )
  const [first] = rows
  if (first === undefined) return null
  return {
    ...{ tag: 'relation', oid, schema: first.schema, name: first.relation, replicaIdentity: 'f' },
    columns: rows.map(({ name, type }) => ({ name, typeOid: type, inIdentity: true })),
  }
}
