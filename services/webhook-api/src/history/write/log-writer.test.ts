import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, it, jest } from '@jest/globals'
import { aJob, anAttempt } from '@surehook/contracts/testing/samples'
import { attemptsTopic, deliveriesTopic } from '@surehook/contracts/topics'
import type { KafkaMessage } from '@surehook/kafka/client/surface'
import { createLogger } from '@surehook/service-kit/telemetry/log'
import type { LogItem, TopicBatch } from './delivery-projection.ts'
import { LogWriter } from './log-writer.ts'

/** One large body is more than the budget. */
const bodyOf = (id: string) => Buffer.alloc(id === 'large' ? 70_000_000 : 10)

function setUp() {
  const written: string[][] = []
  const committed: string[] = []
  const steered: string[] = []
  const refused: string[] = []
  const failures = { write: 0, commit: 0 }
  const fail = (what: keyof typeof failures) => {
    if (failures[what]-- > 0) throw new Error(`no ${what}`)
    failures[what] = 0
  }
  const writer = new LogWriter({
    projection: {
      read: async ({ topic, partition, messages }: TopicBatch) =>
        messages.map(({ offset, value }): LogItem => {
          const place = { topic, partition, offset }
          const deliveryId = String(value)
          return topic === deliveriesTopic
            ? { ...place, job: aJob({ deliveryId, body: bodyOf(deliveryId) }), transition: null }
            : { ...place, job: null, transition: anAttempt({ deliveryId, step: 2 }) }
        }),
      async write(items) {
        if (items.length === 0) return
        fail('write')
        if (items.some(({ transition }) => transition?.deliveryId === 'poison'))
          throw Object.assign(new Error('no'), { code: 'XX001' })
        written.push(items.map(({ topic, offset }) => `${topic} ${offset}`))
      },
      refuse: async ({ topic, offset }) => void refused.push(`${topic} ${offset}`),
    },
    reader: {
      async commit(positions) {
        fail('commit')
        committed.push(...positions.map(({ topic, offset }) => `${topic} ${offset}`))
      },
      pause: ({ topic }) => void steered.push(`pause ${topic}`),
      resume: ({ topic }) => void steered.push(`resume ${topic}`),
    },
    log: createLogger('test', 'silent'),
    retryMs: 5,
  })
  const take = (topic: string, offset: number, id: string) =>
    writer.take({
      topic,
      partition: 0,
      messages: [{ offset: String(offset), value: Buffer.from(id) } as KafkaMessage],
      next: offset + 1,
    })
  const until = async (is: () => boolean) => {
    while (!is()) await sleep(5)
  }
  return { writer, written, refused, committed, steered, failures, take, until }
}

afterEach(() => {
  jest.restoreAllMocks()
})

describe('LogWriter', () => {
  it('writes a delivery once, and commits only what is written', async () => {
    const { writer, written, committed, take, until } = setUp()
    await using _ = writer
    await Promise.all([take(deliveriesTopic, 4, 'a'), take(deliveriesTopic, 5, 'b')])
    await take(attemptsTopic, 9, 'b')
    await until(() => committed.length > 1)
    expect(written).toEqual([[`${deliveriesTopic} 5`, `${attemptsTopic} 9`]])
    expect(committed).toEqual([`${deliveriesTopic} 4`, `${attemptsTopic} 10`])
    await until(() => committed.includes(`${deliveriesTopic} 6`))
    expect(written[1]).toEqual([`${deliveriesTopic} 4`])
  })

  it('stops reading a partition until what it read is written', async () => {
    const { writer, steered, take, until } = setUp()
    await using _ = writer
    await take(deliveriesTopic, 4, 'large')
    expect(steered).toEqual([`pause ${deliveriesTopic}`])
    await take(attemptsTopic, 9, 'large')
    await until(() => steered.length > 1)
    expect(steered[1]).toBe(`resume ${deliveriesTopic}`)
    await take(deliveriesTopic, 5, 'large')
    writer.forget()
    expect(steered.slice(2)).toEqual([`pause ${deliveriesTopic}`, `resume ${deliveriesTopic}`])
  })

  it.each(['write', 'commit'] as const)('repeats a %s that failed', async (what) => {
    const { writer, written, committed, failures, take, until } = setUp()
    await using _ = writer
    failures[what] = 1
    await take(attemptsTopic, 9, 'a')
    await until(() => committed.length > 0)
    expect(written).toEqual([[`${attemptsTopic} 9`]])
    expect(committed).toEqual([`${attemptsTopic} 10`])
  })

  it('moves a message aside that PostgreSQL keeps refusing, and commits those behind it', async () => {
    const { writer, written, refused, committed, take, until } = setUp()
    await using _ = writer
    for (const [nth, id] of ['a', 'poison', 'b'].entries()) await take(attemptsTopic, nth, id)
    await until(() => committed.includes(`${attemptsTopic} 3`))
    expect(written.flat().toSorted()).toEqual([`${attemptsTopic} 0`, `${attemptsTopic} 2`])
    expect(refused).toEqual([`${attemptsTopic} 1`])
  })

  it('reads transitions however many jobs wait for them', async () => {
    const { writer, written, take, until } = setUp()
    await using _ = writer
    await Promise.all(Array.from({ length: 6_000 }, (_, n) => take(deliveriesTopic, n, `${n}`)))
    await take(attemptsTopic, 9, '7')
    await until(() => written.length > 0)
    expect(written).toEqual([[`${deliveriesTopic} 7`, `${attemptsTopic} 9`]])
  })

  it('keeps writing when the clock is set back', async () => {
    const { writer, committed, take, until } = setUp()
    await using _ = writer
    await take(attemptsTopic, 9, 'a')
    await take(deliveriesTopic, 4, 'b')
    await until(() => committed.length > 0)
    const before = Date.now() - 26 * 3_600_000
    jest.spyOn(Date, 'now').mockReturnValue(before)
    await take(attemptsTopic, 10, 'c')
    await until(() => committed.includes(`${attemptsTopic} 11`))
    await until(() => committed.includes(`${deliveriesTopic} 5`))
  })

  it('forgets what it holds after a rejoin, because it is read again', async () => {
    const { writer, written, committed, take, until } = setUp()
    await using _ = writer
    await take(deliveriesTopic, 4, 'a')
    writer.forget()
    await take(attemptsTopic, 9, 'b')
    await until(() => committed.length > 0)
    expect(written).toEqual([[`${attemptsTopic} 9`]])
    expect(committed).toEqual([`${attemptsTopic} 10`])
  })
})
