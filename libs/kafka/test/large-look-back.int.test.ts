import { expect, it } from '@jest/globals'
import { silent } from '@surehook/testing/database'
import { makeTopic, testKafka } from '@surehook/testing/kafka'
import { until } from '@surehook/testing/until'
import { openProducer } from '../src/producer/producer.ts'
import {
  WindowedConsumer,
  type WindowedConsumerOptions,
} from '../src/windowed/windowed-consumer.ts'
import { handlerOf } from './support/handler.ts'

const kafka = testKafka()

function open(topic: string, options: Partial<WindowedConsumerOptions>): WindowedConsumer {
  return new WindowedConsumer({
    ...{ kafka, groupId: `group-${topic}`, topics: [topic], log: silent },
    window: { messages: 1_000, bytes: 100_000_000 },
    commitIntervalMs: 5,
    drainMs: 1_000,
    handler: handlerOf((message) => message.finish()),
    ...options,
  })
}

it('looks back only at the newest messages if they are large', async () => {
  const topic = await makeTopic(kafka)
  const producer = await openProducer(kafka, { log: silent })
  const bytes = 50_000
  const count = 400
  for (let n = 0; n < count; n += 10) {
    const value = Buffer.alloc(bytes)
    await producer.send(Array.from({ length: 10 }, () => ({ topic, key: 'key', value })))
  }
  let finished = 0
  const first = open(topic, {
    handler: handlerOf((message) => {
      message.finish()
      finished++
    }),
  })
  await first.start()
  await until(() => finished === count, { timeoutMs: 60_000 })
  await first[Symbol.asyncDispose]()

  let shown = 0
  let handled = 0
  await using second = open(topic, {
    lookBack: { topics: [topic], messages: count, bytes: 2_000_000 },
    handler: handlerOf(
      (message) => {
        message.finish()
        handled++
      },
      { finishedBefore: () => void shown++ },
    ),
  })
  await second.start()
  await producer.send([{ topic, key: 'key', value: Buffer.from('a new one') }])
  await until(() => handled === 1)
  await producer[Symbol.asyncDispose]()
  // One fetch of 1 MiB shows how large the messages are.
  expect(shown * bytes).toBeLessThanOrEqual(2_000_000 + 1_048_576)
  expect(shown * bytes).toBeGreaterThan(1_000_000)
})
