import { lookup } from 'node:dns/promises'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { openSlotRelay } from '@surehook/change-capture/relay/relay'
import type { ChangeEvent } from '@surehook/contracts/events'
import type { OutgoingRecord } from '@surehook/kafka/producer/producer'
import { AddressGuard } from '@surehook/service-kit/outbound/address-guard'
import { createDatabase, query, silent, type TestDatabase } from '@surehook/testing/database'
import { until } from '@surehook/testing/until'
import { Client } from 'pg'
import { RowsDecoder } from '../src/capture/rows-decoder.ts'
import { type Following } from '../src/capture/wal-changes.ts'
import { readFacts } from '../src/catalogue/read-facts.ts'
import { sourceClient } from '../src/connection/source-client.ts'
import { parseSourceUrl, type SourceAddress } from '../src/connection/source-url.ts'

const guard = new AddressGuard(['127.0.0.0/8', '::1/128'], {
  resolve: async (name) => lookup(name, { all: true }),
})

const limit = { bytes: 2 ** 26, onExceeded: () => undefined }

let database: TestDatabase
let client: Client

beforeEach(async () => {
  database = await createDatabase()
  client = new Client({ connectionString: database.url })
  await client.connect()
})
afterEach(async () => {
  await client.end()
  await database[Symbol.asyncDispose]()
})

/** Records as JSON stand for Avro: the registry has nothing to do with rows. */
const codec = {
  change: { encode: (event: ChangeEvent) => Buffer.from(JSON.stringify(event)) },
  invalid: { encode: (event: unknown) => Buffer.from(JSON.stringify(event)) },
} as never

async function openSource(names: string[], sent: ChangeEvent[], lose = () => false) {
  const following = new Map<number, Following>()
  for (const name of names) {
    const { rows } = await client.query<{ oid: string }>('select to_regclass($1)::oid as oid', [
      name,
    ])
    following.set(Number(rows[0]?.oid), { table: name, exclude: new Set() })
  }
  const parsed = parseSourceUrl(`${database.url}?sslmode=disable`)
  if ('fault' in parsed) throw new Error(parsed.fault)
  return openSlotRelay({
    service: 'postgres-source',
    slot: `shop_${database.suffix}`,
    connection: sourceClient({ address: parsed.address, owner: 'p/e', limit }, guard),
    producer: {
      healthy: true,
      async send(records: readonly OutgoingRecord[]) {
        if (lose()) throw new Error('lost')
        for (const { value } of records) sent.push(JSON.parse(String(value)) as ChangeEvent)
      },
    },
    decoder: () =>
      new RowsDecoder({
        source: { projectId: 'p', environment: 'e', name: 'shop' },
        origin: { systemId: '1', database: 'shop' },
        publication: 'shop',
        facts: (oid) => readFacts(client, oid),
        onTable: () => Promise.resolve(),
        onUnfollowable: () => Promise.resolve(),
        onStranger: () => undefined,
        onHeartbeat: () => undefined,
        onChange: () => undefined,
        ...{ following, codec, log: silent },
      }),
    log: silent,
  })
}

async function prepare(...tables: string[]): Promise<void> {
  for (const table of tables) {
    await client.query(`create table ${table}`)
    await client.query(`alter table ${table.split(' ')[0]} replica identity full`)
  }
  await client.query('create publication shop for all tables with (publish_via_partition_root)')
  await client.query(`select pg_create_logical_replication_slot($1, 'pgoutput')`, [
    `shop_${database.suffix}`,
  ])
}

test('rows of followed tables become events, in commit order, with the time of their commit', async () => {
  await prepare('orders (id int primary key, at timestamptz)', 'other (id int primary key)')
  const sent: ChangeEvent[] = []
  await using _source = await openSource(['orders'], sent)
  await client.query('begin')
  await client.query(`select pg_logical_emit_message(true, 'surehook.request', 'req-1')`)
  await client.query(`insert into orders values (1, '2026-11-30 13:00+01')`)
  await client.query('insert into other values (1)')
  await client.query('commit')
  await client.query('alter table orders add column note text')
  await client.query(`update orders set note = 'new'`)
  await client.query('update orders set id = 2')
  await client.query('alter table orders rename to purchases')
  await client.query('delete from purchases')
  await until(() => sent.length === 5)
  expect(
    sent.map(({ operation, recordId, requestId }) => [operation, recordId, requestId]),
  ).toEqual([
    ['INSERT', '1', 'req-1'],
    ['UPDATE', '1', null],
    ['DELETE', '1', null],
    ['INSERT', '2', null],
    ['DELETE', '2', null],
  ])
  expect(sent.map(({ table }) => table)).toEqual(Array(5).fill('orders'))
  expect(JSON.parse(sent[1]?.record ?? '')).toEqual({
    id: 1,
    at: '2026-11-30T12:00:00Z',
    note: 'new',
  })
  expect(sent[1]?.changedFields).toEqual(['note'])
})

test('what is read again after a lost acknowledgement has the same ids', async () => {
  await prepare('orders (id int primary key)')
  const sent: ChangeEvent[] = []
  let losses = 0
  await using _source = await openSource(
    ['orders'],
    sent,
    () => sent.length === 500 && losses++ === 0,
  )
  // One COPY, whose rows share positions.
  await client.query('insert into orders select generate_series(1, 1000)')
  await query(database.url, 'insert into orders values (0)')
  await until(() => sent.at(-1)?.recordId === '0' && sent.length > 1001)
  const ids = new Map<string, Set<string>>()
  for (const { recordId, id } of sent) ids.set(recordId, (ids.get(recordId) ?? new Set()).add(id))
  expect(ids.size).toBe(1001)
  expect([...ids.values()].every((of) => of.size === 1)).toBe(true)
  expect(new Set(sent.map(({ id }) => id)).size).toBe(1001)
})

test('rows of partitions are rows of their table, and a TRUNCATE is one event', async () => {
  await prepare('visits (id int, day date, primary key (id, day)) partition by range (day)')
  await client.query(
    `create table visits_1 partition of visits for values from ('2026-01-01') to ('2026-07-01')`,
  )
  await client.query(
    `create table visits_2 partition of visits for values from ('2026-07-01') to ('2027-01-01')`,
  )
  for (const name of ['visits_1', 'visits_2'])
    await client.query(`alter table ${name} replica identity full`)
  const sent: ChangeEvent[] = []
  await using _source = await openSource(['visits'], sent)
  await client.query(`insert into visits values (1, '2026-01-02'), (2, '2026-08-02')`)
  await client.query('truncate visits')
  await until(() => sent.length === 3)
  expect(sent.map(({ table, recordId }) => [table, recordId])).toEqual([
    ['visits', '1,2026-01-02'],
    ['visits', '2,2026-08-02'],
    ['_sources', 'shop'],
  ])
  expect(JSON.parse(sent[2]?.record ?? '')).toEqual({
    source: 'shop',
    event: 'truncated',
    table: 'visits',
  })
})

test('an address that is not allowed is not connected to', async () => {
  const closed = new AddressGuard([], {
    resolve: async () => [{ address: '127.0.0.1', family: 4 }],
  })
  const { address } = parseSourceUrl(`${database.url}?sslmode=disable`) as {
    address: SourceAddress
  }
  const at = (host: string) =>
    sourceClient({ address: { ...address, host }, owner: 'p/e', limit }, closed)
  expect(() => at('127.0.0.1')).toThrow('not allowed')
  await expect(new Client(at('localhost')).connect()).rejects.toThrow('not allowed')
})
