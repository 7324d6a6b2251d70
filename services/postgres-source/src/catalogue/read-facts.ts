import type { ClientBase, Pool } from 'pg'
import type { CatalogueFacts } from '../rows/followed-table.ts'

type FactsRow = { key: string[]; elements: { type: number; element: number }[] }

/** Reads what the WAL does not say of a table. A table that is gone has no key. */
export async function readFacts(db: Pool | ClientBase, oid: number): Promise<CatalogueFacts> {
  const { rows } = await db.query<FactsRow>({
    name: 'source-facts',
    text: `
select array(
         select a.attname::text
           from pg_index i
           cross join unnest(i.indkey) with ordinality as k(attnum, place)
           join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.attnum
          where i.indrelid = $1 and i.indisprimary
          order by k.place) as key,
       coalesce((
         select jsonb_agg(jsonb_build_object('type', t.oid::bigint, 'element', t.typelem::bigint))
           from pg_type t
          where t.typcategory = 'A' and t.typelem <> 0
            and t.oid in (select atttypid from pg_attribute
                           where attrelid = $1 and attnum > 0 and not attisdropped)), '[]') as elements`,
    values: [oid],
  })
  const { key = [], elements = [] } = rows[0] ?? {}
  return {
    keyColumns: key,
    elementOids: new Map(elements.map(({ type, element }) => [type, element])),
  }
}
