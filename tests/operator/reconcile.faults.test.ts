import { randomBytes, randomUUID } from 'node:crypto'
import { mkdtemp, rename } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from '@jest/globals'
import type { SubscriptionVersion } from '@surehook/contracts/events'
import { aSubscription } from '@surehook/contracts/testing/samples'
import { subscriptionsTopic } from '@surehook/contracts/topics'
import { openEventCodec } from '@surehook/schemas/codec'
import {
  type LocalStack,
  removeStackData,
  startLocalStack,
} from '@surehook/scripts/local-stack/local-stack'
import { postgresIdentity, postgresPlace } from '@surehook/scripts/local-stack/postgres-home'
import { Kafka, logLevel, type Message } from 'kafkajs'
import { Client } from 'pg'
import { surehook } from '../support/commands/operator-cli.ts'

const slots = ['surehook_auth_service', 'surehook_data_api', 'surehook_webhook_api']

let dir: string
let stack: LocalStack
let db: Client
let env: NodeJS.ProcessEnv

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'surehook-reconcile-'))
  stack = await startLocalStack({ dir, only: ['kafka', 'registry', 'postgres'] })
  db = new Client({ connectionString: stack.databaseUrl })
  await db.connect()
  const { kafkaBrokers, schemaRegistryUrl } = stack
  env = {
    DATABASE_URL: stack.databaseUrl,
    KAFKA_BROKERS: kafkaBrokers,
    SCHEMA_REGISTRY_URL: schemaRegistryUrl,
    KAFKA_PARTITIONS: '4',
    WEBHOOK_RETRY_DELAYS: '100ms,200ms,300ms,400ms',
    KEY_ENCRYPTION_KEY: randomBytes(32).toString('base64'),
  }
})
afterAll(async () => {
  await db?.end()
  await stack?.stop()
  await removeStackData(dir)
})

it('slots whose WAL is not in pg_wal are reported before any write, and recreated', async () => {
  expect(await surehook(env, 'prepare', 'topics')).toMatchObject({ code: 0 })
  expect(await surehook(env, 'prepare', 'database')).toMatchObject({ code: 0 })
  await publish('changes', [{ key: 'a', value: 'not Avro' }])
  const wal = await walOfSlots()
  await wal.takeAway()
  expect(await slotRows()).toMatchObject(slots.map(() => ({ wal_status: 'reserved' })))
  const before = await slotRows()

  const reported = await reconcile('--json')
  const reason = expect.stringContaining('has already been removed')
  expect(reported.json()).toMatchObject({
    applied: false,
    leftOut: 1,
    slots: allAre({ state: 'unreadable', reason }),
  })
  expect(reported.code).toBe(1)
  expect((await reconcile()).out).toContain(`cannot be read: ${slots[0]} (`)

  await wal.putBack()
  expect((await reconcile('--json')).json()).toMatchObject({ slots: allAre({ state: 'there' }) })
  expect(await slotRows()).toEqual(before)

  await wal.takeAway()
  expect((await reconcile('--apply')).out).toContain('nothing was applied')
  expect(await slotRows()).toHaveLength(slots.length)
  expect(await reconcile('--apply', '--drop-unreadable')).toMatchObject({ code: 0 })
  expect(await slotRows()).toEqual([])
  expect(await surehook(env, 'prepare', 'database')).toMatchObject({ code: 0 })
  expect((await reconcile('--json')).json()).toMatchObject({ slots: allAre({ state: 'there' }) })
})

it('restores a subscription whose key was taken since without its key, and goes on after a refused row', async () => {
  const [lost, other, owner] = [randomUUID(), randomUUID(), randomUUID()]
  const codec = await openEventCodec({ registryUrl: stack.schemaRegistryUrl })
  const criteria = { table: 'orders', filter: null, updatedAt: new Date().toISOString() }
  const versions: SubscriptionVersion[] = [
    { ...criteria, walPosition: '7/00000001/01', active: true, events: ['INSERT'], select: ['id'] },
    { ...criteria, walPosition: '7/00000001/02', active: false, events: [], select: null },
  ]
  const shipping = { ...stateOf(other, 'shipping'), versions }
  const states = [stateOf(lost, 'billing'), stateOf('no-uuid', null), shipping]
  await publish(
    subscriptionsTopic,
    states.map((state) => ({ key: state.id, value: codec.subscription.encode(state) })),
  )
  await db.query(
    `insert into webhook_api.subscription (id, project_id, environment, watched_table, events, url,
       active, secrets, created_at, updated_at, key)
     values ($1, 'acme', 'master', 'orders', '{INSERT}', 'https://a.example', true, '[]', now(), now(), 'billing')`,
    [owner],
  )
  const found = [
    { id: lost, deleted: false, takenKey: 'billing' },
    { id: 'no-uuid', deleted: false },
    { id: other, deleted: false },
  ]
  expect((await reconcile('--json')).json()).toMatchObject({
    subscriptions: expect.arrayContaining(found),
  })

  const applied = await reconcile('--apply')
  expect(applied.out).toContain(`subscription ${lost}: restored without its key billing`)
  expect(applied.out).toContain('subscription no-uuid: not written back: invalid input syntax')
  expect(applied.code).toBe(1)
  const restored = await db.query(
    `select wal_position, active, events, selected from webhook_api.subscription_version
     where subscription_id = $1 order by number`,
    [other],
  )
  expect(restored.rows).toEqual([
    { wal_position: '7/00000001/01', active: true, events: ['INSERT'], selected: ['id'] },
    { wal_position: '7/00000001/02', active: false, events: [], selected: null },
  ])
  const { rows } = await db.query('select id, key from webhook_api.subscription')
  expect(new Map(rows.map(({ id, key }) => [id, key]))).toEqual(
    new Map([
      [owner, 'billing'],
      [lost, null],
      [other, 'shipping'],
    ]),
  )
  const again = (await reconcile('--json')).json()
  expect(again).toMatchObject({ subscriptions: [{ id: 'no-uuid' }] })
})

const stateOf = (id: string, key: string | null) =>
  aSubscription({ id, projectId: 'acme', key, updatedAt: new Date().toISOString() })

/** The WAL files that the server has removed and the archive keeps. */
async function walOfSlots() {
  const { rows } = await db.query<{ file: string }>(
    'select distinct pg_walfile_name(restart_lsn) as file from pg_replication_slots',
  )
  await db.query('select pg_switch_wal()')
  const place = await postgresPlace(dir, postgresIdentity())
  const files = rows.map(({ file }) => ({
    here: join(place, 'postgres', 'pg_wal', file),
    away: join(place, file),
  }))
  return {
    takeAway: () => Promise.all(files.map(({ here, away }) => rename(here, away))),
    putBack: () => Promise.all(files.map(({ here, away }) => rename(away, here))),
  }
}

/** Publishes as anyone with write access to the topic could. */
async function publish(topic: string, messages: Message[]): Promise<void> {
  const kafka = new Kafka({ brokers: stack.kafkaBrokers.split(','), logLevel: logLevel.NOTHING })
  const producer = kafka.producer()
  await producer.connect()
  await producer.send({ topic, messages })
  await producer.disconnect()
}

const reconcile = (...options: string[]) => surehook(env, 'reconcile', '--since', '1h', ...options)

const allAre = (what: Record<string, unknown>) => slots.map((slot) => ({ slot, ...what }))

async function slotRows(): Promise<Record<string, unknown>[]> {
  const { rows } = await db.query<Record<string, unknown>>(
    `select slot_name, wal_status, restart_lsn::text, confirmed_flush_lsn::text
       from pg_replication_slots order by slot_name`,
  )
  return rows
}
