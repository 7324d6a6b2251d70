import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { retryTopic } from '@surehook/contracts/topics'
import type { Admin } from '@surehook/kafka/client/surface'
import { rawKafka } from '@surehook/testing/raw-kafka'
import { trimTopics } from '../src/retention/trim-topics.ts'
import { openWorld, type World } from './support/under-test.ts'

let world: World
let admin: Admin

const topic = retryTopic('6d')
const dayMs = 86_400_000
const now = Date.now()

beforeAll(async () => {
  world = await openWorld()
  admin = world.kafka.admin()
  await admin.connect()
  const configEntries = [{ name: 'retention.ms', value: '-1' }]
  await admin.createTopics({ topics: [{ topic, numPartitions: 1, configEntries }] })
  const producer = rawKafka(world.kafka).producer()
  await producer.connect()
  const messages = [40, 35, 32, 3, 0].map((days) => ({
    value: `made ${days} days ago`,
    timestamp: String(now - days * dayMs),
  }))
  // Each message is a batch of its own, as in production.
  for (const message of messages) await producer.send({ topic, messages: [message] })
  await producer.disconnect()
})
afterAll(async () => {
  await admin?.deleteTopics({ topics: [topic] })
  await admin?.disconnect()
  await world?.[Symbol.asyncDispose]()
})

const firstAfterTrim = async () => {
  await trimTopics(world.kafka, now - 31 * dayMs)
  return (await admin.fetchTopicOffsets(topic))[0]?.low
}
const commit = (offset: string) =>
  admin.setOffsets({ groupId: 'webhook-dispatcher', topic, partitions: [{ partition: 0, offset }] })

it('deletes old finished jobs, but never a waiting one', async () => {
  expect(await firstAfterTrim()).toBe('0')
  await commit('1')
  // The second job has waited for 35 days, so its offset is not committed.
  expect(await firstAfterTrim()).toBe('1')
  await commit('5')
  expect(await firstAfterTrim()).toBe('3')
  expect(await firstAfterTrim()).toBe('3')
})
