import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { SourceFinding } from '@surehook/contracts/http/sources'
import { createDatabase, query, type TestDatabase } from '@surehook/testing/database'
import { Client } from 'pg'
import { judgeDatabase } from '../src/preparation/judge-database.ts'
import { readDatabase } from '../src/preparation/read-database.ts'

let database: TestDatabase
let roleUrl: string

beforeAll(async () => {
  database = await createDatabase()
  const role = `reader_${database.suffix}`
  await query(database.url, `create role ${role} login password 'reader'`)
  const url = new URL(database.url)
  url.username = role
  url.password = 'reader'
  roleUrl = url.href
})
afterAll(async () => {
  await database[Symbol.asyncDispose]()
})

async function findings(relations: string[], walBudget = 2 ** 30): Promise<SourceFinding[]> {
  const client = new Client({ connectionString: roleUrl })
  await client.connect()
  try {
    const facts = await readDatabase(client, { publication: 'My Shop', relations })
    return judgeDatabase(facts, { publication: 'My Shop', walBudget })
  } finally {
    await client.end()
  }
}

const wrongs = (all: SourceFinding[]) => all.filter(({ level }) => level === 'wrong')

test('its statements, run as they are, leave nothing to find', async () => {
  const { url } = database
  await query(url, 'create table orders (id int primary key, total numeric)')
  await query(url, 'create table "Order Lines" (id int primary key)')
  await query(
    url,
    'create table visits (id int, at date, primary key (id, at)) partition by range (at)',
  )
  await query(
    url,
    `create table visits_2026 partition of visits for values from ('2026-01-01') to ('2027-01-01')`,
  )
  const relations = ['public.orders', 'public."Order Lines"', 'public.visits']
  const first = wrongs(await findings(relations))
  expect(first.map(({ relation }) => relation)).toEqual([
    ...[null, null],
    ...relations.flatMap((relation) => [relation, relation]),
    // Its partition, whose identity is its own.
    'public.visits',
  ])
  for (const { sql } of first) for (const statement of sql) await query(url, statement)
  expect(wrongs(await findings(relations))).toEqual([])
})

test.each([
  [
    'lacks a table',
    'alter publication "My Shop" drop table orders',
    ['The publication lacks public.orders'],
  ],
  [
    'has a column list',
    'alter publication "My Shop" set table orders (id)',
    ['The publication has only some columns'],
  ],
  [
    'has a row filter',
    'alter publication "My Shop" set table orders where (id > 1)',
    ['The publication has only some rows'],
  ],
  [
    'leaves out operations',
    `alter publication "My Shop" set (publish = 'insert')`,
    ['The publication leaves out update, delete, truncate'],
  ],
])('a publication that %s is found, and mended by the statements', async (_, broken, says) => {
  const { url } = database
  await query(url, broken)
  const found = wrongs(await findings(['public.orders']))
  expect(found.map((one) => one.says.slice(0, says[0]?.length))).toEqual(says)
  for (const statement of found[0]?.sql ?? []) await query(url, statement)
  expect(wrongs(await findings(['public.orders']))).toEqual([])
})

test('a table that is not there and one without a key are named', async () => {
  await query(database.url, 'create table keyless (n int)')
  const found = wrongs(await findings(['public.missing', 'public.keyless']))
  expect(found.map(({ relation, says }) => [relation, says])).toContainEqual([
    'public.missing',
    'There is no table public.missing',
  ])
  expect(found.map(({ says }) => says)).toContain('public.keyless has no primary key')
})
