import { describe, expect, it } from '@jest/globals'
import { pino } from 'pino'
import type { Kafka } from '../client/surface.ts'
import { LogEnds } from './log-ends.ts'

const log = pino({ level: 'silent' })
const topics = ['a', 'b']

/** A cluster that answers when the test resolves it. Every end is the number of the request. */
function openEnds(of: readonly string[] = topics) {
  const questions: { topics: string[]; answered: PromiseWithResolvers<void> }[] = []
  const cluster = {
    connect: async () => undefined,
    disconnect: async () => undefined,
    addMultipleTargetTopics: async () => undefined,
    refreshMetadataIfNecessary: async () => undefined,
    findTopicPartitionMetadata: (topic: string) => [
      { partitionId: 0, leader: 1 },
      ...(topic === 'led-in-part' ? [{ partitionId: 1, leader: -1 }] : []),
      ...(topic === 'of-two' ? [{ partitionId: 1, leader: 1 }] : []),
    ],
    async fetchTopicsOffset(asked: { topic: string; partitions: { partition: number }[] }[]) {
      const answered = Promise.withResolvers<void>()
      questions.push({ topics: asked.map(({ topic }) => topic), answered })
      const offset = String(questions.length)
      await answered.promise
      return asked.map(({ topic, partitions }) => ({
        topic,
        partitions: partitions.map(({ partition }) => ({ partition, offset })),
      }))
    },
  }
  const create = Symbol('private:Kafka:createCluster')
  const kafka = { [create]: () => cluster } as unknown as Kafka
  return { ends: new LogEnds(kafka, of, log), questions }
}

const nextTurns = async () => {
  for (let n = 0; n < 5; n++) await new Promise((resolve) => setImmediate(resolve))
}

describe('LogEnds', () => {
  it('sends one request for all topics and for all calls before it', async () => {
    const { ends, questions } = openEnds()
    const all = [ends.read(), Promise.resolve().then(() => ends.read()), ends.read()]
    await nextTurns()
    expect(questions.map((question) => question.topics)).toEqual([topics])
    questions[0]?.answered.resolve()
    const expected = topics.map((topic) => ({ topic, partition: 0, end: 1 }))
    expect(await Promise.all(all)).toEqual([expected, expected, expected])
  })

  it('sends another request for later calls, after the first answer', async () => {
    const { ends, questions } = openEnds()
    const sent: string[] = []
    const first = ends.read(() => sent.push('first'))
    await nextTurns()
    const later = [ends.read(() => sent.push('second')), ends.read(() => sent.push('third'))]
    await nextTurns()
    expect([sent, questions.length]).toEqual([['first'], 1])
    questions[0]?.answered.resolve()
    await first
    await nextTurns()
    expect([sent, questions.length]).toEqual([['first', 'second', 'third'], 2])
    questions[1]?.answered.resolve()
    expect((await Promise.all(later)).map(([end]) => end?.end)).toEqual([2, 2])
  })

  it('reads only partitions with a leader if it is asked to, and does not wait for others', async () => {
    const { ends, questions } = openEnds(['led-in-part'])
    const led = ends.readLed([0, 1])
    await nextTurns()
    for (const { answered } of questions) answered.resolve()
    expect(await led).toEqual([{ topic: 'led-in-part', partition: 0, start: 1, end: 2 }])
    expect(await ends.readLed([1])).toEqual([])
    expect(questions).toHaveLength(2)
    const all = ends.readLed()
    await nextTurns()
    for (const { answered } of questions) answered.resolve()
    expect(await all).toEqual([{ topic: 'led-in-part', partition: 0, start: 3, end: 4 }])
    const at = ends.readAt(1)
    await nextTurns()
    for (const { answered } of questions) answered.resolve()
    expect(await at).toEqual([{ topic: 'led-in-part', partition: 0, offset: 6 }])
    expect(await ends.partitions()).toEqual([0, 1])
  })

  it('reads every partition at a time, also if topics have different numbers of them', async () => {
    const { ends, questions } = openEnds(['of-two', 'a'])
    const at = ends.readAt(1)
    await nextTurns()
    for (const { answered } of questions) answered.resolve()
    expect(await at).toEqual([
      { topic: 'of-two', partition: 0, offset: 2 },
      { topic: 'of-two', partition: 1, offset: 2 },
      { topic: 'a', partition: 0, offset: 2 },
    ])
  })

  it('rejects all callers of a failed request, and then reconnects', async () => {
    const { ends, questions } = openEnds()
    const failed = Promise.allSettled([ends.read(), ends.read()])
    await nextTurns()
    questions[0]?.answered.reject(new Error('not the leader'))
    expect((await failed).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    const again = ends.read()
    await nextTurns()
    questions[1]?.answered.resolve()
    expect(await again).toHaveLength(2)
  })
})
