import { expect, it } from '@jest/globals'
import { silent } from '@surehook/testing/database'
import { makeTopic, testKafka } from '@surehook/testing/kafka'
import { until } from '@surehook/testing/until'
import { openProducer } from '../src/producer/producer.ts'
import { WindowedConsumer } from '../src/windowed/windowed-consumer.ts'
import { handlerOf } from './support/handler.ts'

it.each([
  ['that looks back', 1_000],
  ['that does not look back', 0],
])(
  'a consumer %s reads a topic that was recreated, also after a restart',
  async (_what, messages) => {
    const kafka = testKafka()
    await using producer = await openProducer(kafka, { log: silent })
    const topic = await makeTopic(kafka)
    const admin = kafka.admin()
    await admin.connect()
    await using _connected = { [Symbol.asyncDispose]: () => admin.disconnect() }
    const read: string[] = []
    const open = async () => {
      const consumer = new WindowedConsumer({
        ...{ kafka, groupId: `group-${topic}`, topics: [topic], log: silent },
        window: { messages: 500, bytes: 1_000_000 },
        commitIntervalMs: 5,
        drainMs: 1_000,
        ...(messages > 0 && { lookBack: { topics: [topic], messages, bytes: 1_000_000 } }),
        handler: handlerOf((message) => {
          read.push(String(message.value))
          message.finish()
        }),
      })
      await consumer.start()
      return consumer
    }
    const send = (values: readonly string[]) =>
      producer.send(values.map((value) => ({ topic, key: 'key', value: Buffer.from(value) })))
    const remake = async () => {
      await admin.deleteTopics({ topics: [topic] })
      const isGone = async () => !(await admin.listTopics()).includes(topic)
      await until(isGone)
      await admin.createTopics({ topics: [{ topic, numPartitions: 1 }], waitForLeaders: false })
    }
    const position = async () => {
      const [of] = await admin.fetchOffsets({ groupId: `group-${topic}`, topics: [topic] })
      return of?.partitions[0]?.offset
    }
    {
      await using _running = await open()
      await send(Array.from({ length: 100 }, (_, n) => `old ${n}`))
      await until(async () => read.length === 100 && (await position()) === '100')
      await remake()
      await send(['new 1', 'new 2'])
      await until(() => read.includes('new 2'))
      await until(async () => (await position()) === '2')
    }
    // The state after a restore: the group's position is after the end of the log.
    await admin.setOffsets({
      groupId: `group-${topic}`,
      topic,
      partitions: [{ partition: 0, offset: '50' }],
    })
    await using _restarted = await open()
    await send(['new 3'])
    await until(() => read.includes('new 3'))
    expect(read.filter((value) => value === 'new 3')).toHaveLength(1)
  },
)
