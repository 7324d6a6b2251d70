import { it } from '@jest/globals'
import { silent } from '@surehook/testing/database'
import { makeTopic, testKafka } from '@surehook/testing/kafka'
import { until } from '@surehook/testing/until'
import { openProducer } from '../src/producer/producer.ts'
import { WindowedConsumer } from '../src/windowed/windowed-consumer.ts'
import { handlerOf } from './support/handler.ts'

const lookBack = 50
const count = 100

it('keeps the commit of a partition whose log is trimmed when a member begins to look back', async () => {
  const kafka = testKafka()
  await using producer = await openProducer(kafka, { log: silent })
  const topic = await makeTopic(kafka)
  const groupId = `group-${topic}`
  const values = Array.from({ length: count }, (_, n) => Buffer.from(String(n)))
  await producer.send(values.map((value) => ({ topic, key: 'key', value })))
  const admin = kafka.admin()
  await admin.connect()
  await using _connected = { [Symbol.asyncDispose]: () => admin.disconnect() }
  const partitions = [{ partition: 0, offset: String(count - 10) }]
  await admin.setOffsets({ groupId, topic, partitions })

  const trimming = testKafka()
  const openAdmin = trimming.admin.bind(trimming)
  trimming.admin = (config) => {
    const own = openAdmin(config)
    return {
      ...own,
      // The bounds of the log were read before.
      async fetchOffsets(of) {
        const commits = await own.fetchOffsets(of)
        const before = [{ partition: 0, offset: String(count - 20) }]
        await admin.deleteTopicRecords({ topic, partitions: before })
        return commits
      },
    }
  }
  const taken: number[] = []
  await using consumer = new WindowedConsumer({
    kafka: trimming,
    groupId,
    topics: [topic],
    window: { messages: 500, bytes: 1_000_000 },
    commitIntervalMs: 5,
    drainMs: 1_000,
    lookBack: { topics: [topic], messages: lookBack, bytes: 1_000_000 },
    handler: handlerOf(({ value }) => taken.push(Number(value))),
    log: silent,
  })
  await consumer.start()
  await until(() => taken.length === 10)
  const committed = async () => {
    const [of] = await admin.fetchOffsets({ groupId, topics: [topic] })
    return of?.partitions[0]?.offset
  }
  // No message was finished, and none may be reported as unfinished.
  await until(async () => (await committed()) === String(count - 10))
})
