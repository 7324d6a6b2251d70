import { newEventId } from '@surehook/contracts/ids'
import { quoteIdent, quoteLiteral } from '../sql/quote.ts'
import type { TableDefinition } from '../table-definition.ts'
import { isoTimestamp, valueTypes } from '../values/value-types.ts'
import { qualifiedTable } from './ddl/table-ddl.ts'

/** The parts of a list's query; the table is `t`. */
export type ListParts = { record: string; from: string; where: string }

/** The SQL for one version of a table. Every statement returns `record`, a JSON text, per row. */
export type RecordStatements = {
  /**
   * `$1` heads, `$2` ids, then one array per column. Returns one record per element, in the order
   * of the ids.
   */
  insert: string
  /**
   * `$1` head, `$2` id, `$3` which columns are given, `$4` their values, `$5` whether it also writes
   * when nothing differs.
   */
  update: string
  /** `$1` head, `$2` id. */
  delete: string
  /**
   * Like `update` and `delete`, with two more parameters: the record's `updatedAt` must be in the
   * first array (`null`: any) and must not be in the second. Otherwise it does nothing and returns
   * `null`.
   */
  updateIf: string
  deleteIf: string
  /** `$1` ids. Returns the existing records, in any order. */
  get: string
}

/** Builds the parameters of `insert`, with new ids. */
export function insertValues(
  rows: readonly { head: string; values: readonly (string | null)[] }[],
): unknown[] {
  const heads = rows.map(({ head }) => head)
  const ids = rows.map(newEventId).toSorted()
  const columns = rows[0]?.values.map((_, column) =>
    rows.map(({ values }) => values[column] ?? null),
  )
  return [heads, ids, ...(columns ?? [])]
}

const now = `date_trunc('milliseconds', clock_timestamp())`

/**
 * The time of a record's next change. It is later than the last one, even if the clock was set
 * back.
 */
const after = (updatedAt: string) => `greatest(${now}, ${updatedAt} + interval '1 millisecond')`

/**
 * Builds the statements. Each does nothing if the table is no longer at this version. The lock on
 * the table comes before the snapshot, and DDL changes table and catalogue in one transaction, so
 * no statement meets unknown columns.
 */
export function recordStatements(table: TableDefinition): RecordStatements {
  const current = isCurrent(table)
  const target: Target = { table, name: qualifiedTable(table), current }
  return {
    insert: insertSql(target),
    update: updateSql(target, null),
    delete: deleteSql(target),
    // Built on demand, because preconditions are rare.
    get updateIf() {
      return updateSql(target, isExpected(6))
    },
    get deleteIf() {
      return deleteIfSql(target, isExpected(3))
    },
    get: `select ${recordJson(table, 't')} as record from ${target.name} t
 where t."id" = any($1::uuid[]) and ${current}`,
  }
}

/** Like the statements, it returns no rows if the table is no longer at this version. */
export function listParts(table: TableDefinition): ListParts {
  return {
    record: recordJson(table, 't'),
    from: `${qualifiedTable(table)} t`,
    where: isCurrent(table),
  }
}

const isCurrent = ({ id, version }: TableDefinition): string =>
  `exists (select from table_definition d
    where d.id = ${quoteLiteral(id)}::bigint and d.version = ${version})`

type Target = { table: TableDefinition; name: string; current: string }

/** SQL for the record's JSON text, which PostgreSQL builds and the service passes on unchanged. */
function recordJson({ columns }: TableDefinition, row: string): string {
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

function insertSql({ table, name, current }: Target): string {
  const columns = table.columns.map((column) => quoteIdent(column.name))
  const inputs = columns.map((_, index) => `c${index}`)
  const values = table.columns.map(({ type }, index) => `i.c${index}::${valueTypes[type].cast}`)
  const arrays = ['$2::uuid[]', ...columns.map((_, index) => `$${index + 3}::text[]`)]
  return `
with clock as materialized (select ${now} as at),
written as (
  insert into ${name} (${['"id"', '"createdAt"', '"updatedAt"', ...columns].join(', ')})
  select ${['i.id', 'c.at', 'c.at', ...values].join(', ')}
    from clock c, unnest(${arrays.join(', ')}) as i(${['id', ...inputs].join(', ')})
   where ${current}
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
  from rendered r`
}

/**
 * Locks the row before reading it, so that `changed` compares with the value that the write
 * replaces. Takes the time after the lock. A change without a difference writes nothing, unless the
 * caller may not learn that nothing differs.
 */
function updateSql({ table, name, current }: Target, expected: string | null): string {
  const columns = table.columns.map((column, index) => ({
    name: quoteIdent(column.name),
    literal: quoteLiteral(column.name),
    next: `c${index}`,
    value: `case when ($3::boolean[])[${index + 1}]
      then ($4::text[])[${index + 1}]::${valueTypes[column.type].cast}
      else o.${quoteIdent(column.name)} end`,
  }))
  const next = columns.map((column) => `${column.value} as ${column.next}`)
  const changed = columns.map(
    (column) =>
      `case when o.${column.name}::text is distinct from n.${column.next}::text
        then ${column.literal} end`,
  )
  const set = columns.map((column) => `${column.name} = n.${column.next}`)
  return `
with old as materialized (
  select t.* from ${name} t where t."id" = $2::uuid and ${current} for no key update
),
next as materialized (
  select ${['o."id"', `${after('o."updatedAt"')} as at`, ...next].join(', ')}
    from old o${expected === null ? '' : ` where ${expected}`}
),
diff as materialized (
  select array_remove(array[${changed.join(', ')}]::text[], null) as fields from old o, next n
),
written as (
  update ${name} t
     set ${[...set, '"updatedAt" = n.at'].join(', ')}
    from next n, diff d
   where t."id" = n."id" and (cardinality(d.fields) > 0 or $5::boolean)
  returning t.*
),
rendered as (
  select ${recordJson(table, 'w')} as record from written w offset 0
)
select capture_change($1, n."id", d.fields, n.at, r.record) as record
  from rendered r, next n, diff d
union all
select ${recordJson(table, 'o')} from old o, diff d
 where cardinality(d.fields) = 0 and not $5::boolean${otherwise(expected)}`
}

/** Compared while the row is locked. */
const isExpected = (first: number): string =>
  `(($${first}::timestamptz[] is null or o."updatedAt" = any($${first}::timestamptz[]))
    and o."updatedAt" <> all($${first + 1}::timestamptz[]))`

const otherwise = (expected: string | null): string =>
  expected === null ? '' : `\nunion all\nselect null from old o where not ${expected}`

function deleteSql({ table, name, current }: Target): string {
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

function deleteIfSql({ table, name, current }: Target, expected: string): string {
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
