import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from '@jest/globals'
import type { Source } from '@surehook/contracts/http/sources'
import { createKafka } from '@surehook/kafka/client/client'
import { openEventCodec } from '@surehook/schemas/codec'
import { expectStatus } from '@surehook/scripts/client/call'
import { openOwnStack } from '@surehook/scripts/containers/start-stack'
import type { Stack } from '@surehook/scripts/local-stack/stack'
import { type Change, openChangeLog } from '@surehook/testing/change-log'
import { query, silent } from '@surehook/testing/database'
import { until } from '@surehook/testing/until'
import { Client } from 'pg'
import { randomFrom } from '../faults/suite/random.ts'
import { type FaultWorld, openFaultWorld } from '../support/deliveries/fault-world.ts'

const kills = Number(process.env['FAULTS_SOURCE_KILLS'] ?? 12)
const seed = Number(process.env['FAULTS_SEED'] ?? 9)

let world: FaultWorld
/** The server of the source: its outages are not those of Surehook's own database. */
let shop: Stack & AsyncDisposable

beforeAll(async () => {
  world = await openFaultWorld({ replicas: { 'postgres-source': 2 } })
  shop = await openOwnStack({ only: ['postgres'] })
})
afterAll(async () => {
  await world?.[Symbol.asyncDispose]()
  await shop?.[Symbol.asyncDispose]()
})

/** Each transaction notes its changes in the order in which it makes them. */
const prepare = `
  create table purchases (id int primary key, v int, note text);
  create table audit (seq bigserial primary key, entry text not null);
  create function note() returns trigger language plpgsql as $$
  begin
    insert into audit (entry) values (
      case tg_op when 'DELETE' then concat_ws(' ', 'DELETE', old.id, old.v)
                 else concat_ws(' ', tg_op, new.id, new.v) end);
    return null;
  end $$;
  create trigger note after insert or update or delete on purchases
    for each row execute function note();
  alter table purchases replica identity full;
  create publication surehook for table purchases;`

/** Writes transactions of several rows until it is stopped. An outage only delays the next one. */
function startWriting(url: string) {
  const stop = new AbortController()
  async function write(client: Client, n: number) {
    const id = n % 20
    await client.query(`begin;
      insert into purchases values (${id}, ${n}, repeat('x', 100)) on conflict (id) do update set v = ${n};
      update purchases set v = ${n} where id = ${(id + 7) % 20};
      ${n % 5 === 0 ? `delete from purchases where id = ${(id + 3) % 20};` : ''}
      commit`)
  }
  const done = (async () => {
    for (let n = 0; !stop.signal.aborted; ) {
      const client = new Client({ connectionString: url, query_timeout: 10_000 })
      client.on('error', () => undefined)
      try {
        await client.connect()
        for (; !stop.signal.aborted; n++) await write(client, n).then(() => sleep(5))
      } catch {
        // The audit tells whether the transaction was committed.
        await sleep(100)
      } finally {
        await client.end().catch(() => undefined)
      }
    }
  })()
  return () => {
    stop.abort()
    return done
  }
}

const entryOf = ({ operation, data }: Change) => `${operation} ${data['id']} ${data['v']}`

/** The changes without repetitions, by record, in the order of the log. */
function byRecord(changes: readonly Change[]): Map<string, string[]> {
  const seen = new Map<string, string>()
  const records = new Map<string, string[]>()
  for (const change of changes) {
    const entry = entryOf(change)
    const before = seen.get(change.id)
    if (before !== undefined) {
      if (before !== entry) throw new Error(`${change.id} is ${before} and ${entry}`)
      continue
    }
    seen.set(change.id, entry)
    records.set(change.recordId, [...(records.get(change.recordId) ?? []), entry])
  }
  return records
}

it(`${kills} random kills of the service, Kafka and the source lose no change and keep the order`, async () => {
  const tenant = await world.tenant()
  await query(shop.databaseUrl, prepare)
  const url = `${shop.databaseUrl}?sslmode=disable`
  expectStatus(200, await tenant.rest('PUT _sources/shop', { url }))
  const table = { source: 'shop', relation: 'public.purchases' }
  expectStatus(200, await tenant.rest('PUT _tables/purchases', table))
  const source = async () => (await tenant.rest<Source>('GET _sources/shop')).body
  await until(async () => (await source()).state === 'capturing')

  const stopWriting = startWriting(shop.databaseUrl)
  const random = randomFrom(seed)
  const { services, stack } = world.system
  const targets = [
    ...services['postgres-source'],
    ...services['postgres-source'],
    stack.processes.kafka,
    shop.processes.postgres,
  ].filter((process) => process !== undefined)
  for (let n = 0; n < kills; n++) {
    await sleep(random.int(200, 2_500))
    const target = targets[random.int(0, targets.length - 1)]
    await target?.kill('SIGKILL')
    await sleep(random.int(0, 1_500))
    await target?.restart()
  }
  await stopWriting()

  const rows = await query(shop.databaseUrl, 'select entry from audit order by seq')
  const committed = new Map<string, string[]>()
  for (const { entry } of rows) {
    const [, id = ''] = String(entry).split(' ')
    committed.set(id, [...(committed.get(id) ?? []), String(entry)])
  }
  const kafka = createKafka({ brokers: [stack.kafkaBrokers], clientId: 'test', log: silent })
  const codec = await openEventCodec({ registryUrl: stack.schemaRegistryUrl })
  await using log = await openChangeLog(kafka, codec)
  const distinct = () => new Set(log.of(tenant.projectId).map(({ id }) => id)).size
  await until(() => distinct() >= rows.length, {
    what: () => `${distinct()} of ${rows.length} changes`,
  })
  const captured = log.of(tenant.projectId)
  process.stdout.write(
    `${rows.length} changes, ${captured.length - distinct()} repeated, seed ${seed}\n`,
  )
  expect(byRecord(captured)).toEqual(committed)
  expect((await source()).gap).toBeNull()
})
