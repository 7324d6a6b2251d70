import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { InvalidMessage } from '@surehook/contracts/events'
import { changesTopic, invalidTopic } from '@surehook/contracts/topics'
import { createKafka } from '@surehook/kafka/client/client'
import { openEventCodec } from '@surehook/schemas/codec'
import { rawKafka } from '@surehook/testing/raw-kafka'
import { Client as Database } from 'pg'
import { clientOf } from './support/client.ts'
import { log, openWorld, type Running, type World } from './support/under-test.ts'

let world: World
let running: Running

beforeAll(async () => {
  world = await openWorld()
  running = await world.startService()
})

afterAll(async () => {
  await running?.[Symbol.asyncDispose]()
  await world?.[Symbol.asyncDispose]()
})

async function capture(content: string): Promise<void> {
  const database = new Database(world.database.databaseUrl)
  await database.connect()
  await database.query(`select pg_logical_emit_message(true, 'surehook/data-api', $1::text)`, [
    content,
  ])
  await database.end()
}

/** Returns the first refused message whose value contains `mark`. */
async function refused(mark: string): Promise<InvalidMessage> {
  const { brokers } = world.config.kafka
  const codec = await openEventCodec({ registryUrl: world.config.registryUrl })
  const kafka = rawKafka(createKafka({ brokers, clientId: 'test', log }))
  const consumer = kafka.consumer({ groupId: `test-${randomUUID()}` })
  const found = Promise.withResolvers<InvalidMessage>()
  await consumer.connect()
  await consumer.subscribe({ topics: [invalidTopic(changesTopic)], fromBeginning: true })
  await consumer.run({
    async eachMessage({ message: { value } }) {
      const message = await codec.invalid.decode(value ?? Buffer.alloc(0))
      if (message.value?.includes(mark) === true) found.resolve(message)
    },
  })
  const message = await found.promise
  await consumer.disconnect()
  return message
}

test('a captured message that cannot be relayed is refused and delays no tenant', async () => {
  const tenant = await world.tenant()
  const client = clientOf(running.api, tenant)
  await client.call('PUT _tables/orders', { columns: [{ name: 'a', type: 'integer' }] })
  const mark = randomUUID()
  await capture(`poison ${mark}`)
  const header = { topic: changesTopic, key: `key ${mark}`, operation: 'UPSERT' }
  await capture(`${JSON.stringify(header)}\n{"a":1}`)
  await client.call('POST orders', { a: 1 })
  await world.changes.until(tenant.projectId, 1)
  expect(await refused(`poison ${mark}`)).toMatchObject({
    topic: changesTopic,
    partition: -1,
    key: null,
    value: Buffer.from(`poison ${mark}`),
    reason: 'No header line',
    refusedBy: 'data-api.relay',
  })
  expect(await refused(`key ${mark}`)).toMatchObject({
    topic: changesTopic,
    key: Buffer.from(`key ${mark}`),
  })
})
