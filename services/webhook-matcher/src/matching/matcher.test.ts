import { describe, expect, jest, test } from '@jest/globals'
import type { ChangeEvent, DeliveryJob } from '@surehook/contracts/events'
import { aChange, aSubscription } from '@surehook/contracts/testing/samples'
import type { KafkaMessage } from '@surehook/kafka/client/surface'
import type { OutgoingRecord } from '@surehook/kafka/producer/producer'
import { SubscriptionIndex } from '@surehook/matching/index/subscription-index'
import type { Subscription } from '@surehook/matching/subscription'
import { type TypeCodec, UndecodableError } from '@surehook/schemas/codec'
import { createLogger } from '@surehook/service-kit/telemetry/log'
import { createMetrics } from '@surehook/service-kit/telemetry/metrics'
import { readConfig } from '../config.ts'
import { matcherMetrics } from '../metrics.ts'
import { createMatcher } from './matcher.ts'

/** Encodes values as JSON, because other tests cover Avro. */
function jsonCodec<T>(): TypeCodec<T> {
  return {
    encode: (value) => Buffer.from(JSON.stringify(value)),
    decode(buffer) {
      try {
        return JSON.parse(buffer.toString()) as T
      } catch (err) {
        throw new UndecodableError('not JSON', { cause: err })
      }
    },
  }
}

const config = readConfig({
  INTERNAL_PORT: '0',
  KAFKA_BROKERS: 'localhost:1',
  SCHEMA_REGISTRY_URL: 'http://localhost:1',
})

function setUp({
  send,
  barrier,
  match,
}: {
  send?: () => Promise<void>
  barrier?: () => Promise<void>
  match?: () => Subscription[]
} = {}) {
  const sent: OutgoingRecord[][] = []
  const index = new SubscriptionIndex()
  const handle = createMatcher({
    index: match === undefined ? index : { match },
    view: { barrier: barrier ?? (async () => undefined) },
    codec: { change: jsonCodec(), job: jsonCodec(), attempt: jsonCodec(), invalid: jsonCodec() },
    producer: {
      async send(records) {
        await send?.()
        sent.push([...records])
      },
    },
    topics: config.topics,
    groupId: 'group',
    maxBodyBytes: 2_000,
    metrics: matcherMetrics(createMetrics('test')),
    log: createLogger('test', 'silent'),
  })
  const run = (values: (ChangeEvent | string | null)[], signal = new AbortController().signal) =>
    handle({
      ...{ topic: 'changes', partition: 3, jobPartitions: 4, signal, progress },
      messages: values.map(messageOf),
    })
  return { index, run, sent }
}

const progress = { sending: () => undefined, taken: () => undefined }

function messageOf(value: ChangeEvent | string | null, offset: number): KafkaMessage {
  const text = typeof value === 'object' ? JSON.stringify(value) : value
  const bytes = value === null ? null : Buffer.from(text)
  return {
    key: Buffer.from('k'),
    value: bytes,
    offset: String(offset),
    timestamp: String(Date.parse('2026-01-01T12:00:05Z')),
    attributes: 0,
    headers: {},
  }
}

const summary = (records: OutgoingRecord[]) =>
  records.map(({ topic, value }) => {
    const body = JSON.parse(String(value))
    return [topic, body.eventId ?? body.reason]
  })

const uuid = (n: number) => `00000000-0000-7000-8000-${String(n).padStart(12, '0')}`

describe('the matcher', () => {
  test('makes a job for each subscription that matches, in the order of the changes', async () => {
    const { index, run, sent } = setUp()
    index.apply('a', aSubscription({ id: 'a' }))
    index.apply('b', aSubscription({ id: 'b', filter: '{"status":"open"}' }))
    await run([
      aChange({ id: uuid(1) }),
      aChange({ id: uuid(2), table: 'other' }),
      aChange({ id: uuid(3) }),
    ])
    expect(sent.map(summary)).toEqual([
      [
        ['webhook.deliveries', uuid(1)],
        ['webhook.deliveries', uuid(3)],
      ],
    ])
  })

  test('matches only when the view has reached the end of the subscriptions', async () => {
    const behind = Promise.withResolvers<void>()
    const { index, run, sent } = setUp({ barrier: () => behind.promise })
    const done = run([aChange()])
    await new Promise(setImmediate)
    index.apply('a', aSubscription({ id: 'a' }))
    behind.resolve()
    await done
    expect(sent.flat()).toHaveLength(1)
  })

  test('does not match if the end is unknown', async () => {
    const { index, run, sent } = setUp({ barrier: () => Promise.reject(new Error('behind')) })
    index.apply('a', aSubscription({ id: 'a' }))
    await expect(run([aChange()])).rejects.toThrow('behind')
    expect(sent).toEqual([])
  })

  test('is done when Kafka has acknowledged, and makes the same jobs again after a failure', async () => {
    const send = jest.fn<() => Promise<void>>().mockRejectedValueOnce(new Error('away'))
    const { index, run, sent } = setUp({ send: send.mockResolvedValue(undefined) })
    index.apply('a', aSubscription({ id: 'a' }))
    await expect(run([aChange()])).rejects.toThrow('away')
    await run([aChange()])
    await run([aChange()])
    expect(sent[0]).toEqual(sent[1])
  })

  test('sends a large fan-out in chunks', async () => {
    const { index, run, sent } = setUp()
    for (let n = 0; n < 1_200; n++) index.apply(uuid(n), aSubscription({ id: uuid(n) }))
    await run([aChange()])
    expect(sent.map(({ length }) => length)).toEqual([500, 500, 200])
    const ids = sent
      .flat()
      .map(({ value }) => (JSON.parse(String(value)) as DeliveryJob).subscriptionId)
    expect(new Set(ids).size).toBe(1_200)
  })

  test('stops between the chunks when the partition is revoked', async () => {
    const lost = new AbortController()
    const { index, run, sent } = setUp({ send: async () => lost.abort(new Error('lost')) })
    for (let n = 0; n < 1_200; n++) index.apply(uuid(n), aSubscription({ id: uuid(n) }))
    await expect(run([aChange()], lost.signal)).rejects.toThrow('lost')
    expect(sent).toHaveLength(1)
  })

  test('yields to others during a batch that takes long to match', async () => {
    let turns = 0
    const turnsAtMatch: number[] = []
    const { run } = setUp({
      match() {
        turnsAtMatch.push(turns)
        for (const end = performance.now() + 15; performance.now() < end; );
        return []
      },
    })
    const others = setInterval(() => turns++, 1)
    await run(Array.from({ length: 6 }, (_, n) => aChange({ id: uuid(n) })))
    clearInterval(others)
    expect(turnsAtMatch).toHaveLength(6)
    expect(turnsAtMatch.at(-1)).toBeGreaterThanOrEqual(2)
  })

  test('stops matching when the partition was revoked meanwhile', async () => {
    const lost = new AbortController()
    const matched: number[] = []
    const { run } = setUp({
      match() {
        setImmediate(() => lost.abort(new Error('lost')))
        for (const end = performance.now() + 25; performance.now() < end; );
        matched.push(1)
        return []
      },
    })
    await expect(run([aChange(), aChange(), aChange()], lost.signal)).rejects.toThrow('lost')
    expect(matched).toHaveLength(1)
  })

  test('refuses a message that is no change, with the reason, and continues', async () => {
    const { index, run, sent } = setUp()
    index.apply('a', aSubscription({ id: 'a' }))
    const bad = [
      null,
      'garbage',
      aChange({ record: '[1]' }),
      aChange({ record: '{' }),
      aChange({ id: 'x' }),
    ]
    await run([...bad, aChange()])
    expect(summary(sent.flat())).toEqual([
      ['changes.invalid', 'No value'],
      ['changes.invalid', 'not JSON'],
      ['changes.invalid', 'record: not the text of a JSON object'],
      ['changes.invalid', 'record: not the text of a JSON object'],
      ['changes.invalid', 'id: not a UUID'],
      ['webhook.deliveries', aChange().id],
    ])
  })

  test('passes a traceparent on only if it is a valid header', async () => {
    const { index, run, sent } = setUp()
    index.apply('a', aSubscription({ id: 'a' }))
    const good = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'
    const given = [good, null, '', 'my-trace', `${good}\r\nx-evil: 1`]
    await run(given.map((traceparent) => aChange({ traceparent })))
    const passed = sent
      .flat()
      .map(({ value }) => (JSON.parse(String(value)) as DeliveryJob).traceparent)
    expect(passed).toEqual([good, null, null, null, null])
  })

  test('a body that is too large becomes a dead letter and an entry in the log', async () => {
    const { index, run, sent } = setUp()
    index.apply('a', aSubscription({ id: 'a' }))
    await run([aChange({ record: JSON.stringify({ text: 'x'.repeat(1_000) }) })])
    const [letter, entry] = sent.flat()
    expect(letter?.topic).toBe('webhook.deliveries.dead-letter')
    expect(entry).toMatchObject({ topic: 'webhook.attempts', key: letter?.key })
  })
})
