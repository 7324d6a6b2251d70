import { afterEach, beforeAll, beforeEach, it } from '@jest/globals'
import { until } from '@surehook/testing/until'
import { type Consumer, Kafka, logLevel } from 'kafkajs'
import { FakeBroker } from '../../../test/support/fake-broker.ts'
import {
  type Answer,
  assigned,
  committed,
  fetched,
  leaderNotAvailable,
  metadata,
  topic,
} from '../../../test/support/kafka-answers.ts'
import { restoreMethods } from '../replace-methods.ts'
import { goOnWithoutLeaders } from './leaderless-partitions.ts'

const oneIsLeaderless: Answer = (port) => metadata(port, [0, leaderNotAvailable])

let broker: FakeBroker
let consumer: Consumer
let values: string[]

beforeAll(() => {
  restoreMethods()
  goOnWithoutLeaders()
})
beforeEach(async () => {
  broker = await FakeBroker.open()
  const brokers = [broker.address]
  const retry = { initialRetryTime: 1, retries: 0 }
  const kafka = new Kafka({ clientId: 'test', brokers, retry, logLevel: logLevel.NOTHING })
  consumer = kafka.consumer({ groupId: 'group', retry })
  values = []
})
afterEach(async () => {
  await consumer.disconnect()
  await broker[Symbol.asyncDispose]()
})

async function run(): Promise<void> {
  await consumer.subscribe({ topic })
  const eachMessage = async ({ message }: { message: { value: Buffer | null } }) =>
    void values.push(String(message.value))
  await consumer.run({ autoCommit: false, eachMessage })
}

it('reads the partitions that have a leader while another partition has none', async () => {
  broker.answers.Metadata = oneIsLeaderless
  broker.answers.Fetch = () => fetched('read')
  await run()
  await until(() => values.includes('read'))
})

it('refreshes metadata until every partition has a leader, even if they are still valid', async () => {
  broker.answers.Metadata = oneIsLeaderless
  await run()
  const asked = broker.countOf('Metadata')
  await until(() => broker.countOf('Metadata') > asked + 1)
})

it('does so too if the group has no commit of the partition without a leader', async () => {
  broker.answers.Metadata = oneIsLeaderless
  broker.answers.SyncGroup = () => assigned(0, 1)
  broker.answers.OffsetFetch = () => committed(0, -1)
  broker.answers.Fetch = () => fetched('read')
  await run()
  await until(() => values.includes('read'))
})
