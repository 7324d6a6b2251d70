import type { listRecords as listOperation } from '@surehook/contracts/http/data/data'
import { invalid } from '@surehook/service-kit/errors'
import { sqlStateOf } from '@surehook/service-kit/postgres/sql-state'
import type { Pool } from 'pg'
import type * as z from 'zod'
import type { TableDefinition, Tenant } from '../../table-definition.ts'
import { listParts } from '../../tables/record-statements.ts'
import { shownRows } from '../../tables/rule-sql.ts'
import { asItIs, type KnownTable } from '../../tables/table-cache.ts'
import { isUuid } from '../../values/text-value.ts'
import { type Preconditions, requireMatch, type StoredRecord } from '../preconditions.ts'
import { type RuledCall, runStatement } from '../sql/run-statement.ts'
import { asStored, type RecordDeps, recordNotFound } from '../write/write-records.ts'
import { listCursor, readListCursor } from './list-cursor.ts'
import { whereSql } from './record-filter.ts'
import {
  afterSql,
  type OrderTerm,
  orderBySql,
  type Position,
  parseOrder,
  positionSql,
} from './record-order.ts'

export type RecordToGet = {
  tenant: Tenant
  table: string
  id: string
  preconditions?: Preconditions | undefined
}

export async function getRecord(
  { pool, tables, gets, enter }: RecordDeps,
  { tenant, table, id, preconditions = {} }: RecordToGet,
): Promise<StoredRecord> {
  const record = await tables.use(tenant, table, async (known) => {
    if (!isUuid(id)) return null
    const read = known.limits?.read ?? null
    if (gets !== undefined && read === null) {
      const [shared] = asStored(known, await gets.run(tenant, known, id))
      return shared ?? null
    }
    const call: RuledCall = { statement: 'get', values: [[id]] }
    if (read !== null) call.ruling = { action: read }
    const [text] = await enter(tenant, () => runStatement(pool, known, call))
    return text === undefined ? null : { text, columns: known.definition.columns.length }
  })
  if (record === null) throw recordNotFound()
  requireMatch(preconditions, record)
  return record
}

export type ListQuery = z.output<NonNullable<(typeof listOperation)['query']>> & {
  /** A page ends early if it would exceed about this size. */
  maxBytes?: number
}
export type RecordPage = { records: string[]; nextCursor: string | null }

/** @returns one page of records as JSON texts; `nextCursor` is `null` on the last one */
export async function listRecords(
  { pool, tables }: RecordDeps,
  { tenant, table, query }: { tenant: Tenant; table: string; query: ListQuery },
): Promise<RecordPage> {
  const page = await tables.use(tenant, table, async (known) => {
    const found = await findPage(pool, known, query)
    return found.records.length === 0 ? null : found
  })
  return page ?? { records: [], nextCursor: null }
}

async function findPage(
  pool: Pool,
  { definition, limits, view = asItIs }: KnownTable,
  { where, order: orderText, limit, cursor, maxBytes = maxPageBytes }: ListQuery,
): Promise<RecordPage> {
  const values: unknown[] = []
  const rows = shownRows(definition, limits?.read ?? null, values)
  const table = { table: definition, shown: rows.fields }
  const order = parseOrder(table, orderText)
  const scope = { tableId: definition.id, order }
  const position = readListCursor(scope, cursor)
  const conditions = [
    ...rows.conditions,
    ...whereSql(where, table, values),
    ...(position === null ? [] : [afterSql(order, position, values)]),
  ]
  const text = pageSql(definition, { order, join: rows.join, conditions, limit, maxBytes })
  const found = await runPage(pool, { text, values, hasCursor: position !== null })
  const last = found.at(-1)
  return {
    records: found.map(([record]) => view(record)),
    nextCursor: last?.[2] === true ? listCursor(scope, last[1]) : null,
  }
}

export const maxPageBytes = 4 * 1024 * 1024

type Page = {
  order: readonly OrderTerm[]
  join: string
  conditions: readonly string[]
  limit: number
  maxBytes: number
}

/** Reads one record more than a page holds, to find out whether there is a next page. */
function pageSql(
  table: TableDefinition,
  { order, join, conditions, limit, maxBytes }: Page,
): string {
  const { record, from, where } = listParts(table)
  return `
with found as materialized (
  select ${record} as record, ${positionSql(order)} as position
    from ${from}${join}
   where ${[where, ...conditions].join('\n     and ')}
   order by ${orderBySql(order)}
   limit ${limit + 1}
),
numbered as (select f.*, row_number() over () as place from found f),
measured as (
  select n.*, sum(octet_length(n.record)) over (order by n.place) - octet_length(n.record) as before
    from numbered n
)
select m.record, m.position, m.place < (select count(*) from found) as more
  from measured m
 where m.place <= ${limit} and m.before < ${maxBytes}
 order by m.place`
}

/** The record's JSON, its position in the order, and whether more follow. */
type Row = [record: string, position: Position, more: boolean]

const dataException = /^22/

async function runPage(
  pool: Pool,
  { text, values, hasCursor }: { text: string; values: unknown[]; hasCursor: boolean },
): Promise<Row[]> {
  try {
    const { rows } = await pool.query<Row>({ text, values, rowMode: 'array' })
    return rows
  } catch (err) {
    if (!hasCursor || !dataException.test(sqlStateOf(err) ?? '')) throw err
    throw invalid([
      {
        field: 'cursor',
        message: 'must be the nextCursor of the same list',
        rule: 'invalid_cursor',
      },
    ])
  }
}
