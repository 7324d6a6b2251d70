import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { createDatabase, type TestDatabase } from '@surehook/testing/database'
import { propertyRuns } from '@surehook/testing/property-runs'
import fc from 'fast-check'
import { Client } from 'pg'
import { readFacts } from '../src/catalogue/read-facts.ts'
import { FollowedTable } from '../src/rows/followed-table.ts'
import { PartialRowError, type RowChange, rowChanges } from '../src/rows/row-changes.ts'
import { sessionSettings } from '../src/rows/value-texts.ts'
import { decodePgoutput } from '../src/wal/pgoutput.ts'
import { type Kind, kindNames, kinds } from './support/column-kinds.ts'

let database: TestDatabase
let client: Client

beforeAll(async () => {
  database = await createDatabase()
  client = new Client({ connectionString: database.url })
  await client.connect()
  for (const [name, value] of Object.entries(sessionSettings)) {
    await client.query('select set_config($1, $2, false)', [name, value])
  }
  await client.query('create publication shop for all tables')
  await client.query(
    `select pg_create_logical_replication_slot('shop_${database.suffix}', 'pgoutput')`,
  )
})
afterAll(async () => {
  await client.end()
  await database[Symbol.asyncDispose]()
})

/** Takes the changes since the last call out of the slot. */
async function takeChanges(exclude: ReadonlySet<string> = new Set()): Promise<RowChange[]> {
  const { rows } = await client.query<{ data: Buffer }>(
    `select data from pg_logical_slot_get_binary_changes($1, null, null,
       'proto_version', '1', 'publication_names', 'shop', 'messages', 'true')`,
    [`shop_${database.suffix}`],
  )
  const changes: RowChange[] = []
  const tables = new Map<number, FollowedTable>()
  for (const { data } of rows) {
    const message = decodePgoutput(data)
    if (message?.tag === 'relation') {
      const facts = await readFacts(client, message.oid)
      tables.set(message.oid, new FollowedTable(message, { table: message.name, exclude, facts }))
    } else if (message !== null && 'oid' in message) {
      const table = tables.get(message.oid)
      if (table !== undefined) changes.push(...rowChanges(table, message))
    }
  }
  return changes
}

type Row = { record: unknown; texts: Record<string, string | null> }

/** All rows by id: the JSON that PostgreSQL's own functions write, and the text of each value. */
async function selected(columns: ReadonlyMap<string, Kind>): Promise<Map<string, Row>> {
  const jsons = [...columns].map(([name, kind]) => `'${name}', ${kinds[kind]?.json(name)}`)
  const asTexts = [...columns.keys()].map((name) => `'${name}', ${name}::text`)
  const { rows } = await client.query<{ id: string; record: string; texts: Row['texts'] }>(
    `select id::text, json_build_object(${["'id', id", ...jsons].join(', ')})::text as record,
            json_build_object(${asTexts.join(', ')}) as texts from t`,
  )
  return new Map(rows.map(({ id, record, texts }) => [id, { record: JSON.parse(record), texts }]))
}

const step = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('insert' as const), id: fc.nat(9), seed: fc.nat() }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('update' as const), id: fc.nat(9), seed: fc.nat() }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('rekey' as const), id: fc.nat(9), to: fc.nat(9) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('delete' as const), id: fc.nat(9) }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('add' as const), kind: fc.constantFrom(...kindNames) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('drop' as const), which: fc.nat() }) },
)

test('records of random rows and columns are those of SELECT', async () => {
  await client.query(`create type mood as enum ('fine', 'so, "so"')`)
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
      await client.query('drop table if exists t')
      await client.query('create table t (id int primary key)')
      await client.query('alter table t replica identity full')
      const columns = new Map<string, Kind>()
      let named = 0
      for (const each of steps) {
        const before = await selected(columns)
        if (each.do === 'add') {
          columns.set(`c${named}`, each.kind)
          await client.query(`alter table t add column c${named++} ${each.kind}`)
        } else if (each.do === 'drop') {
          const name = [...columns.keys()][each.which % (columns.size || 1)]
          if (name === undefined) continue
          columns.delete(name)
          await client.query(`alter table t drop column ${name}`)
        } else await change(each, columns)
        const after = await selected(columns)
        const changes = await takeChanges()
        if (each.do === 'add' || each.do === 'drop') expect(changes).toEqual([])
        else expect(changes.map(comparable)).toEqual(differences(before, after))
      }
    }),
    { numRuns: propertyRuns(100) },
  )
})

type RowStep = {
  do: 'insert' | 'update' | 'rekey' | 'delete'
  id: number
  seed?: number
  to?: number
}

async function change(each: RowStep, columns: ReadonlyMap<string, Kind>): Promise<void> {
  const { id, seed = 0, to = 0 } = each
  const values = [...columns].map(([name, kind], n) => {
    const [value] = fc.sample(kinds[kind]?.values ?? fc.constant('null'), {
      numRuns: 1,
      seed: seed + n,
    })
    return [name, (seed + n) % 7 === 0 ? 'null' : value] as const
  })
  const names = ['id', ...values.map(([name]) => name)].join(', ')
  if (each.do === 'insert') {
    const row = [id, ...values.map(([, value]) => value)].join(', ')
    await client.query(`insert into t (${names}) values (${row}) on conflict do nothing`)
  } else if (each.do === 'update' && values.length > 0) {
    const set = values.map(([name, value]) => `${name} = ${value}`).join(', ')
    await client.query(`update t set ${set} where id = ${id}`)
  } else if (each.do === 'rekey') {
    await client.query(
      `update t set id = ${to} where id = ${id} and not exists (select from t where id = ${to})`,
    )
  } else if (each.do === 'delete') await client.query(`delete from t where id = ${id}`)
}

const comparable = ({ operation, recordId, record, changedFields, previous }: RowChange) => ({
  ...{ operation, recordId, changedFields },
  ...{ record: JSON.parse(record), previous: previous === null ? null : JSON.parse(previous) },
})

/** The changes that lead from one state of the table to the next. */
function differences(before: Map<string, Row>, after: Map<string, Row>) {
  const none = { changedFields: [] as string[], previous: null as unknown }
  const deleted = [...before].flatMap(([recordId, { record }]) =>
    after.has(recordId) ? [] : [{ operation: 'DELETE', recordId, record, ...none }],
  )
  const rest = [...after].flatMap(([recordId, { record, texts }]) => {
    const old = before.get(recordId)
    if (old === undefined) return [{ operation: 'INSERT', recordId, record, ...none }]
    const changedFields = Object.keys(texts).filter((name) => texts[name] !== old.texts[name])
    if (changedFields.length === 0) return []
    return [{ operation: 'UPDATE', recordId, record, changedFields, previous: old.record }]
  })
  return [...deleted, ...rest]
}

test('a large value that an update did not touch is in the record', async () => {
  await client.query('create table large (id int primary key, n int, body text)')
  await client.query('alter table large replica identity full')
  await client.query('alter table large alter body set storage external')
  await client.query(`insert into large values (1, 1, repeat('x', 100000))`)
  await client.query('update large set n = 2')
  const [, updated] = await takeChanges()
  expect(updated?.changedFields).toEqual(['n'])
  expect(JSON.parse(updated?.record ?? '')).toEqual({ id: 1, n: 2, body: 'x'.repeat(100_000) })
})

test('a row without its old values is refused, not guessed', async () => {
  await client.query('create table partial (id int primary key, n int)')
  await client.query('insert into partial values (1, 1)')
  expect(await takeChanges()).toHaveLength(1)
  await client.query('update partial set n = 2')
  await expect(takeChanges()).rejects.toThrow(PartialRowError)
  await client.query('delete from partial')
  await expect(takeChanges()).rejects.toThrow(PartialRowError)
})

test('an excluded column is in no event, and alone makes none', async () => {
  await client.query('create table people (id int primary key, name text, ssn text)')
  await client.query('alter table people replica identity full')
  await client.query(`insert into people values (1, 'Ada', 'secret')`)
  await client.query(`update people set ssn = 'secret too'`)
  await client.query(`update people set name = 'Ada L.', ssn = 'secret three'`)
  const changes = await takeChanges(new Set(['ssn']))
  expect(changes.map(({ operation }) => operation)).toEqual(['INSERT', 'UPDATE'])
  expect(JSON.stringify(changes)).not.toMatch(/ssn|secret/)
})

test('two composite keys never give one record id', async () => {
  await client.query('create table pairs (a text, b text, primary key (b, a))')
  await client.query('alter table pairs replica identity full')
  await client.query(`insert into pairs values ('x,y', 'z'), ('y', 'z,x'), ('y', 'z%2Cx')`)
  const ids = (await takeChanges()).map(({ recordId }) => recordId)
  expect(ids).toEqual(['z,x%2Cy', 'z%2Cx,y', 'z%252Cx,y'])
})
