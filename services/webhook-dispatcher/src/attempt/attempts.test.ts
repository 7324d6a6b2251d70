import { describe, expect, it } from '@jest/globals'
import { type DeliveryJob, defaultPolicy } from '@surehook/contracts/events'
import { aJob, aSubscription } from '@surehook/contracts/testing/samples'
import { signingKeys } from '@surehook/matching/signed-headers'
import { createLogger } from '@surehook/service-kit/telemetry/log'
import { createMetrics } from '@surehook/service-kit/telemetry/metrics'
import type { SpanOptions, SpanOutcome } from '@surehook/service-kit/telemetry/tracing/tracer'
import type { Delivery } from '../delivery/delivery.ts'
import type { Circuit } from '../endpoint/circuit.ts'
import { dispatcherMetrics } from '../metrics.ts'
import { Subscription } from '../subscriptions/subscription.ts'
import type { AttemptResult } from '../transitions/decide-next-attempt.ts'
import { Attempts } from './attempts.ts'
import type { Exchange } from './http/post.ts'

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
const under = (span: string) => `00-${traceId}-${span}-01`
const [match, before, own] = ['1', '2', '3'].map((digit) => under(digit.repeat(16)))

const job = aJob({
  url: 'https://receiver.example/hooks/a-secret',
  createdAt: Date.now() - 400,
  traceparent: match ?? null,
})

const subscriptionWith = (headers: Record<string, string>) =>
  new Subscription(
    aSubscription({
      url: job.url,
      policy: { ...defaultPolicy, headers: { names: Object.keys(headers), ciphertext: '' } },
      secrets: [{ ciphertext: '', validUntil: null }],
    }),
    { keysOf: () => signingKeys('secret'), headersOf: () => headers },
  )
const subscription = subscriptionWith({})
const delivered: AttemptResult = { kind: 'responded', status: 204, answer: '', latencyMs: 3 }
const failed: AttemptResult = { ...delivered, status: 503 }

type StartedSpan = SpanOptions & { name: string; outcome?: SpanOutcome }

type SetUp = { result?: AttemptResult; traced?: boolean; own?: Record<string, string> }

function setUp({ result = delivered, traced = false, own: ownHeaders = {} }: SetUp = {}) {
  const sent: Exchange[] = []
  const lines: string[] = []
  const spans: StartedSpan[] = []
  const registry = createMetrics('test')
  const attempts = new Attempts({
    poster: {
      async post(exchange) {
        sent.push(exchange)
        return result
      },
    },
    delays: [],
    ladder: [],
    metrics: dispatcherMetrics(registry),
    log: createLogger('test', 'debug', { write: (line) => void lines.push(line) }),
    tracer: traced
      ? {
          start(name, options) {
            const span: StartedSpan = { name, ...options }
            spans.push(span)
            return {
              traceparent: own ?? '',
              sampled: true,
              end: (outcome = {}) => void (span.outcome = outcome),
            }
          },
        }
      : undefined,
  })
  const circuit = { fire: (post: () => Promise<AttemptResult>) => post() } as Circuit
  const make = (change: Partial<DeliveryJob> = {}, headers = {}) => {
    const delivery = { job: { ...job, ...change }, message: { headers } } as unknown as Delivery
    return attempts.make(delivery, subscriptionWith(ownHeaders), circuit)
  }
  const metric = async (name: string) => {
    const all = (await registry.registry.metrics()).split('\n')
    return Number(
      all
        .find((line) => line.startsWith(name))
        ?.split(' ')
        .at(-1),
    )
  }
  return { attempts, make, metric, sent, spans, lines }
}

describe('the delay of first attempts', () => {
  const name = 'surehook_delivery_first_attempt_delay_seconds'

  it('counts from the change', async () => {
    const { make, metric } = setUp()
    await make({ createdAt: Date.now() })
    expect(await metric(`${name}_bucket{le="1"`)).toBe(1)
    await make({ createdAt: Date.now() - 2_000 })
    expect(await metric(`${name}_bucket{le="1"`)).toBe(1)
    expect(await metric(`${name}_count`)).toBe(2)
  })

  it.each<[string, Partial<DeliveryJob>]>([
    ['retries', { attempt: 2, step: 1 }],
    ['what was paused', { step: 2 }],
    ['what is sent again', { redeliveryOf: 'an-earlier-one' }],
  ])('does not count %s', async (_of, change) => {
    const { make, metric } = setUp()
    await make(change)
    expect(await metric(`${name}_count`)).toBe(0)
  })

  it('is 0, not negative, if this clock is behind that of the change', async () => {
    const { make, metric } = setUp()
    await make({ createdAt: Date.now() + 60_000 })
    expect(await metric(`${name}_sum`)).toBe(0)
  })
})

it('counts dead letters', async () => {
  const { attempts, metric } = setUp()
  const policy = { retryAfter: false, retryDelays: null }
  attempts.nextStep(job, delivered, policy)
  expect(await metric('surehook_delivery_dead_letters_total')).toBe(0)
  attempts.nextStep(job, failed, policy)
  expect(await metric('surehook_delivery_dead_letters_total')).toBe(1)
})

it('sends the headers of the subscriber, and keeps their values from logs, spans and results', async () => {
  const value = 'Bearer value-of-a-header'
  const echo: AttemptResult = { ...failed, answer: `unknown: ${value}` }
  const setting = { result: echo, traced: true, own: { 'X-Key': value } }
  const { make, sent, lines, spans } = setUp(setting)
  const result = await make()
  expect(sent[0]?.headers).toMatchObject({ 'X-Key': value, 'content-type': 'application/json' })
  expect(result).toMatchObject({ answer: 'unknown: ***' })
  expect(lines).toHaveLength(1)
  expect(JSON.stringify([lines, spans, result])).not.toContain('value-of-a-header')
})

describe('an attempt that is not traced', () => {
  it('sends and logs the trace that it was given', async () => {
    const { make, sent, lines } = setUp()
    const result = await make()
    expect(sent[0]?.headers['traceparent']).toBe(match)
    const { deliveryId, eventId } = job
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ deliveryId, eventId, traceId })
    expect(result.sentAs).toBeUndefined()
  })
})

describe('an attempt that is traced', () => {
  it('is a child of the match, and sends its span to the receiver and with its records', async () => {
    const { make, sent, spans } = setUp({ traced: true, result: failed })
    const result = await make({}, { traceparent: Buffer.from(match ?? '') })
    expect(sent[0]?.headers['traceparent']).toBe(own)
    expect(result.sentAs).toEqual({ traceparent: own })
    expect(spans).toMatchObject([{ parent: match, link: null, outcome: { error: '503' } }])
  })

  it('links to the attempt before', async () => {
    const { make, spans } = setUp({ traced: true })
    await make({ attempt: 2, step: 1 }, { traceparent: Buffer.from(before ?? '') })
    expect(spans).toMatchObject([{ parent: match, link: before, outcome: { error: undefined } }])
  })

  it('logs the receiver’s host and no more of its URL', async () => {
    const { make, spans } = setUp({ traced: true })
    await make()
    expect(spans[0]?.attributes).toMatchObject({ 'server.address': 'receiver.example' })
    expect(JSON.stringify(spans)).not.toContain('a-secret')
  })

  it('ends as well when nothing was sent', async () => {
    const { attempts, spans } = setUp({ traced: true })
    const open = { fire: () => Promise.reject(new Error('EOPENBREAKER')) } as unknown as Circuit
    const delivery = { job, message: {} } as unknown as Delivery
    await expect(attempts.make(delivery, subscription, open)).rejects.toThrow('EOPENBREAKER')
    expect(spans).toMatchObject([{ outcome: { error: 'circuit_open' } }])
  })
})
