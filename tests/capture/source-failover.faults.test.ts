import { afterAll, beforeAll, expect, it } from '@jest/globals'
import type { Source } from '@surehook/contracts/http/sources'
import { createKafka } from '@surehook/kafka/client/client'
import { openEventCodec } from '@surehook/schemas/codec'
import { expectStatus } from '@surehook/scripts/client/call'
import { openChangeLog } from '@surehook/testing/change-log'
import { query, silent } from '@surehook/testing/database'
import { TcpProxy } from '@surehook/testing/tcp-proxy'
import { until } from '@surehook/testing/until'
import { openWorldWithStack } from '../support/world.ts'
import { openPostgresPair, type PostgresPair } from './postgres-pair.ts'

let world: Awaited<ReturnType<typeof openWorldWithStack>>
let pair: PostgresPair
/** The address of the source, which leads to its primary. */
let address: TcpProxy

beforeAll(async () => {
  world = await openWorldWithStack()
  pair = await openPostgresPair()
  address = await TcpProxy.openTo(pair.primary.databaseUrl)
})
afterAll(async () => {
  await address?.[Symbol.asyncDispose]()
  await pair?.[Symbol.asyncDispose]()
  await world?.[Symbol.asyncDispose]()
})

it('a source goes on where it was after its standby is promoted', async () => {
  const { primary, standby } = pair
  await query(
    primary.databaseUrl,
    `create table purchases (id int primary key);
     alter table purchases replica identity full;
     create publication surehook for table purchases`,
  )
  const tenant = await world.tenant()
  const url = `${address.urlOf(primary.databaseUrl)}?sslmode=disable`
  expectStatus(200, await tenant.rest('PUT _sources/shop', { url }))
  const table = { source: 'shop', relation: 'public.purchases' }
  expectStatus(200, await tenant.rest('PUT _tables/purchases', table))
  const source = async () => (await tenant.rest<Source>('GET _sources/shop')).body
  await until(async () => (await source()).state === 'capturing')
  const { slot } = await source()
  const copied = () =>
    query(
      standby.databaseUrl,
      'select from pg_replication_slots where slot_name = $1 and synced and not temporary',
      [slot],
    )
  await until(async () => (await copied()).length === 1)

  const write = (at: string, from: number) =>
    query(at, 'insert into purchases select generate_series($1::int, $1 + 99)', [from])
  await write(primary.databaseUrl, 0)
  await primary.processes.postgres?.kill('SIGKILL')
  await query(standby.databaseUrl, 'select pg_promote()')
  await write(standby.databaseUrl, 100)
  address.leadTo(Number(new URL(standby.databaseUrl).port))

  const rows = await query(standby.databaseUrl, 'select id::text from purchases order by 1')
  const { stack } = world.system
  const kafka = createKafka({ brokers: [stack.kafkaBrokers], clientId: 'test', log: silent })
  const codec = await openEventCodec({ registryUrl: stack.schemaRegistryUrl })
  await using log = await openChangeLog(kafka, codec)
  const captured = () => log.of(tenant.projectId)
  const recordIds = () => [...new Set(captured().map(({ recordId }) => recordId))].sort()
  await until(() => recordIds().length >= rows.length)
  expect(recordIds()).toEqual(rows.map(({ id }) => id))
  // A change that both servers sent has one id.
  expect(new Set(captured().map(({ id }) => id)).size).toBe(rows.length)
  expect((await source()).gap).toBeNull()
})
