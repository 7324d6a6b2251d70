import { claimKeysSql } from '@surehook/service-kit/idempotency/once-per-key'
import { quoteIdent, quoteLiteral } from '../sql/quote.ts'
import type { TableDefinition } from '../table-definition.ts'
import { isoTimestamp, valueTypes } from '../values/value-types.ts'
import { qualifiedTable } from './ddl/table-ddl.ts'
import { updateHead } from './update-head.ts'

const now = `date_trunc('milliseconds', clock_timestamp())`

/**
 * The time of a record's next change. It is later than the last one, even if the clock was set
 * back.
 */
const after = (updatedAt: string) => `greatest(${now}, ${updatedAt} + interval '1 millisecond')`

/** The table of a statement, and the condition on its rows `t`. */
export type Target = { table: TableDefinition; name: string; current: string }

export const targetOf = (table: TableDefinition): Target => ({
  table,
  name: qualifiedTable(table),
  current: isCurrent(table),
})

const isCurrent = ({ id, version }: TableDefinition): string =>
  `exists (select from table_definition d
    where d.id = ${quoteLiteral(id)}::bigint and d.version = ${version})`

export const getSql = ({ table, name, current }: Target): string =>
  `select ${recordJson(table, 't')} as record from ${name} t
 where t."id" = any($1::uuid[]) and ${current}`

/** SQL for the record's JSON text, which PostgreSQL builds and the service passes on unchanged. */
export function recordJson({ columns }: TableDefinition, row: string): string {
  const fields = columns.map(({ name, type }) => {
    const column = quoteIdent(name)
    return `${valueTypes[type].toJson(`${row}.${column}`)} as ${column}`
  })
  const all = [
    `${row}."id" as "id"`,
    ...fields,
    `${isoTimestamp(`${row}."createdAt"`)} as "createdAt"`,
    `${isoTimestamp(`${row}."updatedAt"`)} as "updatedAt"`,
  ]
  // A whole-row reference. "J" collides with no column, because no column has a capital letter.
  return `(select row_to_json("J")::text from (select ${all.join(', ')}) "J")`
}

/**
 * The choice among several candidates for a row that is written. A candidate is what one grant of
 * the caller makes of the request.
 */
export type Choice = {
  /** SQL: the grant of the candidate admits it. Candidates are `t` in an insert, `n` in an update. */
  admits: string
}

export type UpdateChoice = Choice & {
  /** SQL: the caller does not see in the row `o` what the update changes. */
  writesAlways: string
}

/**
 * With a choice, there are two more parameters after the columns: for each candidate the index of
 * its row, from 0, and the index of its grant. If a row has no admitted candidate, it writes none
 * and returns the index of the first such row in the place of a record.
 */
export function insertSql({ table, name, current }: Target, choice?: Choice): string {
  const { count, written, inputs, arrays, row } = insertParts(table)
  const [rows, grants] = [`$${count + 3}`, `$${count + 4}`]
  const source =
    choice === undefined
      ? `
next as (
  select ${row} from clock c, unnest(${arrays}) as i(${inputs})
   where ${current}
),`
      : `
candidates as materialized (
  select i."Row", i."Grant", i."Rank", ${row}
    from clock c, unnest(${arrays}, ${rows}::int[], ${grants}::int[])
         with ordinality as i(${inputs}, "Row", "Grant", "Rank")
   where ${current}
),
next as materialized (
  select distinct on (t."Row") t.* from candidates t where ${choice.admits}
   order by t."Row", t."Rank"
),`
  const isWhole = ' where (select count(*) from next) = cardinality($1::text[])'
  return `
with clock as materialized (select ${now} as at),${source}
written as (
  insert into ${name} (${written})
  select ${written} from next${choice === undefined ? '' : isWhole}
  returning *
),
rendered as (
  select w."id" as id, w."createdAt" as at, ${recordJson(table, 'w')} as record,
         row_number() over (order by w."id") as place
    from written w
   order by w."id"
  offset 0
)
select capture_change(($1::text[])[r.place], r.id, '{}', r.at, r.record) as record
  from rendered r${choice === undefined ? '' : refusedRow(current)}`
}

/** The parts of an insert's SQL that list the columns. */
function insertParts({ columns }: TableDefinition) {
  const names = columns.map((column) => quoteIdent(column.name))
  const values = columns.map(
    ({ type }, index) => `i.c${index}::${valueTypes[type].cast} as ${names[index]}`,
  )
  const row = ['i.id as "id"', 'c.at as "createdAt"', 'c.at as "updatedAt"', ...values]
  const arrays = ['$2::uuid[]', ...columns.map((_, index) => `$${index + 3}::text[]`)]
  return {
    count: columns.length,
    written: ['"id"', '"createdAt"', '"updatedAt"', ...names].join(', '),
    inputs: ['id', ...columns.map((_, index) => `c${index}`)].join(', '),
    arrays: arrays.join(', '),
    row: row.join(', '),
  }
}

/**
 * Returns an insert with three more parameters after the columns: the scope, key and fingerprint of
 * each row. It writes and returns the rows whose key is free, and stores each key with its answer.
 * Keys are claimed in one order, so that statements with the same keys wait for each other, and do
 * not deadlock.
 */
export function keyedInsertSql({ table, name, current }: Target, keys: string): string {
  const { count, written, inputs, arrays, row } = insertParts(table)
  const [scopes, names, fingerprints] = [1, 2, 3].map((n) => `$${count + 2 + n}`)
  const claims = `
  select "Scope", "Key", "Fingerprint", '${count}' || chr(10) || "Record", clock_timestamp()
    from rendered order by "Scope", "Key"`
  return `
with clock as materialized (select ${now} as at),
next as materialized (
  select distinct on ("Scope", "Key") i."Scope", i."Key", i."Fingerprint", i."Place", ${row}
    from clock c,
         unnest(${arrays}, ${scopes}::text[], ${names}::text[], ${fingerprints}::bytea[])
         with ordinality as i(${inputs}, "Scope", "Key", "Fingerprint", "Place")
   where ${current}
   order by "Scope", "Key", "Place"
),
rendered as materialized (
  select n.*, ${recordJson(table, 'n')} as "Record" from next n
),
claimed as (${claimKeysSql(keys, claims)} returning scope as "ClaimedScope", key as "ClaimedKey"),
written as (
  insert into ${name} (${written})
  select ${written} from next join claimed on "ClaimedScope" = "Scope" and "ClaimedKey" = "Key"
  returning "id"
)
select capture_change(($1::text[])[r."Place"], r."id", '{}', r."createdAt", r."Record") as record
  from rendered r join written w on w."id" = r."id"`
}

const refusedRow = (current: string): string => `
union all
select min(place)::text from generate_series(0, cardinality($1::text[]) - 1) place
 where ${current} and not exists (select from next n where n."Row" = place)
having count(*) > 0`

type UpdateParts = { expected: string | null; choice?: UpdateChoice }

/**
 * Locks the row before reading it, so that `changed` compares with the value that the write
 * replaces. Takes the time after the lock. A change without a difference writes nothing, unless the
 * caller may not learn that nothing differs. With a choice, `$3` and `$4` hold the columns of all
 * candidates one after another, and `$5` the grant of each. If none is admitted, it returns `0` in
 * the place of the record.
 */
export function updateSql(
  { table, name, current }: Target,
  { expected, choice }: UpdateParts,
): string {
  const { row, set, changed } = updateParts(table, choice)
  const where = expected === null ? '' : ` where ${expected}`
  const source =
    choice === undefined
      ? `
next as materialized (select ${row} from old o${where}),`
      : `
candidates as materialized (
  select k."Grant", k."Rank", ${row}
    from old o, unnest($5::int[]) with ordinality as k("Grant", "Rank")${where}
),
next as materialized (
  select n.* from candidates n, old o where ${choice.admits} order by n."Rank" limit 1
),`
  return `
with old as materialized (
  select t.* from ${name} t where t."id" = $2::uuid and ${current} for no key update
),${source}
diff as materialized (
  select ${changed} as fields,
         ${choice?.writesAlways ?? '$5::boolean'} as always
    from old o, next n
),
written as (
  update ${name} t
     set ${set}
    from next n, diff d
   where t."id" = n."id" and (cardinality(d.fields) > 0 or d.always)
  returning t.*
),
rendered as (
  select ${recordJson(table, 'w')} as record from written w offset 0
)
select capture_change(${updateHead(table)}, n."id", d.fields, n.at, r.record) as record
  from rendered r, next n, diff d, old o
union all
select ${recordJson(table, 'o')} from old o, diff d
 where cardinality(d.fields) = 0 and not d.always${otherwise(expected)}${
   choice === undefined ? '' : refusedUpdate(expected)
 }`
}

/** The parts of an update's SQL that list the columns. */
function updateParts({ columns: all }: TableDefinition, choice?: Choice) {
  const place = (index: number) =>
    choice === undefined ? `${index + 1}` : `(k."Rank"::int - 1) * ${all.length} + ${index + 1}`
  const columns = all.map(({ name, type }, index) => ({
    name: quoteIdent(name),
    literal: quoteLiteral(name),
    next: `c${index}`,
    value: `case when ($3::boolean[])[${place(index)}]
      then ($4::text[])[${place(index)}]::${valueTypes[type].cast}
      else o.${quoteIdent(name)} end`,
  }))
  const next = columns.map(({ value, next: field }) => `${value} as ${field}`)
  const changed = columns.map(
    ({ name, next: field, literal }) =>
      `case when o.${name}::text is distinct from n.${field}::text
        then ${literal} end`,
  )
  return {
    row: ['o."id"', `${after('o."updatedAt"')} as at`, ...next].join(', '),
    set: [...columns.map((of) => `${of.name} = n.${of.next}`), '"updatedAt" = n.at'].join(', '),
    changed: `array_remove(array[${changed.join(', ')}]::text[], null)`,
  }
}

const refusedUpdate = (expected: string | null): string => `
union all
select '0' from old o
 where ${expected === null ? '' : `${expected} and `}not exists (select from next)`

/** Compared while the row is locked. */
export const isExpected = (first: number): string =>
  `(($${first}::timestamptz[] is null or o."updatedAt" = any($${first}::timestamptz[]))
    and o."updatedAt" <> all($${first + 1}::timestamptz[]))`

const otherwise = (expected: string | null): string =>
  expected === null ? '' : `\nunion all\nselect null from old o where not ${expected}`

export function deleteSql({ table, name, current }: Target): string {
  return `
with gone as (
  delete from ${name} t where t."id" = $2::uuid and ${current} returning t.*
),
rendered as (
  select g."id" as id, ${after('g."updatedAt"')} as at, ${recordJson(table, 'g')} as record
    from gone g offset 0
)
select capture_change($1, r.id, '{}', r.at, r.record) as record from rendered r`
}

export function deleteIfSql({ table, name, current }: Target, expected: string): string {
  return `
with old as materialized (
  select t.* from ${name} t where t."id" = $2::uuid and ${current} for update
),
gone as (
  delete from ${name} t using old o where t."id" = o."id" and ${expected} returning t.*
),
rendered as (
  select g."id" as id, ${after('g."updatedAt"')} as at, ${recordJson(table, 'g')} as record
    from gone g offset 0
)
select capture_change($1, r.id, '{}', r.at, r.record) as record
  from rendered r${otherwise(expected)}`
}
