import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import pg from 'pg'
import { compileFilter } from '../src/filter/compile-filter.ts'
import { parseFilter } from '../src/filter/parse-filter.ts'
import { filterToSql } from '../src/filter/sql/filter-to-sql.ts'
import { allFields, filterJson, row } from './filter-arbitraries.ts'

const sqlTypes = {
  text: 'text',
  integer: 'integer',
  bigint: 'bigint',
  double: 'double precision',
  decimal: 'numeric',
  boolean: 'boolean',
  timestamp: 'timestamptz',
  date: 'date',
  uuid: 'uuid',
  json: 'jsonb',
} as const
const columns = new Map([...allFields.keys()].map((field) => [field, `t."${field}"`]))
const isoUtc = `'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'`

/** SQL that reads a row as the API returns it: bigint and decimal as strings, times in UTC. */
const recordSql = [...allFields]
  .map(([field, type]) => {
    if (type === 'bigint' || type === 'decimal') return `t."${field}"::text as "${field}"`
    if (type !== 'timestamp') return `t."${field}"`
    return `to_char(t."${field}" at time zone 'UTC', ${isoUtc}) as "${field}"`
  })
  .join(', ')

describe('a filter as SQL and as a predicate', () => {
  const db = new pg.Client({ connectionString: process.env['TEST_DATABASE_URL'] })

  beforeAll(async () => {
    await db.connect()
    const definitions = [...allFields].map(([field, type]) => `"${field}" ${sqlTypes[type]}`)
    await db.query(`create temporary table t (place integer, ${definitions.join(', ')})`)
  })
  afterAll(() => db.end())

  async function store(rows: Record<string, unknown>[]): Promise<Record<string, unknown>[]> {
    const list = rows.map((values, place) => {
      const doc = values['doc'] === null ? null : JSON.stringify(values['doc'])
      return [place, ...[...allFields.keys()].map((key) => (key === 'doc' ? doc : values[key]))]
    })
    const width = allFields.size + 1
    const tuples = list.map(
      (_, at) => `(${Array.from({ length: width }, (__, i) => `$${at * width + i + 1}`).join()})`,
    )
    await db.query('truncate t')
    await db.query(`insert into t values ${tuples.join()}`, list.flat())
    const stored = await db.query<{ record: string }>(
      `select (select row_to_json(r) from (select ${recordSql}) r)::text as record from t order by place`,
    )
    return stored.rows.map(({ record }) => JSON.parse(record) as Record<string, unknown>)
  }

  async function selected(json: unknown): Promise<number[]> {
    const parsed = parseFilter(json, { fields: allFields })
    if (!parsed.ok) throw new Error(JSON.stringify(parsed.violations))
    const { text, values } = filterToSql(parsed.filter, columns, 2)
    const found = await db.query<{ place: number }>(
      `select place from t where $1::boolean and ${text} order by place`,
      [true, ...values],
    )
    return found.rows.map(({ place }) => place)
  }

  function expected(json: unknown, records: Record<string, unknown>[]): number[] {
    const parsed = parseFilter(json, { fields: allFields })
    if (!parsed.ok) throw new Error(JSON.stringify(parsed.violations))
    const matches = compileFilter(parsed.filter)
    return records.flatMap((record, place) => (matches(record, []) ? [place] : []))
  }

  test('select the same rows for any filter and rows', async () => {
    const rows = fc.array(row, { minLength: 8, maxLength: 20 })
    let hits = 0
    await fc.assert(
      fc.asyncProperty(
        rows,
        fc.array(filterJson, { minLength: 20, maxLength: 20 }),
        async (values, filters) => {
          const records = await store(values)
          for (const json of filters) {
            const places = await selected(json)
            hits += places.length > 0 && places.length < records.length ? 1 : 0
            expect({ json, places }).toEqual({ json, places: expected(json, records) })
          }
        },
      ),
      { numRuns: 100 },
    )
    // The test proves little if its filters match nothing or everything.
    expect(hits).toBeGreaterThan(300)
  })
})
