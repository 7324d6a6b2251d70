import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from '@jest/globals'
import type { ChangeEvent } from '@surehook/contracts/events'
import type { EndpointRecord } from '@surehook/contracts/events/delivery-events'
import { changesTopic } from '@surehook/contracts/topics'
import { createKafka } from '@surehook/kafka/client/client'
import { openRedis, type RedisClient } from '@surehook/service-kit/redis/client'
import { endsOf, followTopics } from '@surehook/testing/follow-topics'
import { until } from '@surehook/testing/until'
import { pino } from 'pino'
import { Circuit } from '../src/endpoint/circuit.ts'
import { CircuitEvents } from '../src/endpoint/circuit-events.ts'
import { CircuitStore } from '../src/endpoint/circuit-store.ts'
import type { AttemptResult } from '../src/transitions/decide-next-attempt.ts'
import { type Harness, openHarness } from './support/harness.ts'

const log = pino({ level: 'silent' })
const failure: AttemptResult = {
  kind: 'unreachable',
  errorClass: 'refused',
  message: '',
  latencyMs: 1,
}

let harness: Harness
let redis: RedisClient
let store: CircuitStore
/** By record and offset, because a reader that rejoins its group reads again. */
const events = new Map<string, ChangeEvent>()
const open = new AsyncDisposableStack()

beforeAll(async () => {
  harness = open.use(await openHarness())
  redis = open.adopt(await openRedis({ url: process.env['TEST_REDIS_URL'] ?? '', log }), (client) =>
    client.destroy(),
  )
  store = new CircuitStore(redis, { forgetAfterMs: 600_000, log })
  const brokers = [process.env['TEST_KAFKA_BROKERS'] ?? '']
  const kafka = createKafka({ brokers, clientId: 'circuit-events-test', log })
  const followed = open.use(
    followTopics({
      kafka,
      topics: [changesTopic],
      after: await endsOf(kafka, [changesTopic]),
      log,
      take: async ({ value, offset }) => {
        if (value === null) return
        const event = await harness.codec.change.decode(value)
        events.set(`${event.recordId} ${offset}`, event)
      },
    }),
  )
  await followed.ready
})
afterAll(() => open.disposeAsync())

const place = () => ({
  ...{ projectId: `p-${randomUUID()}`, environment: 'master', url: 'https://receiver.example/' },
})
const published = (endpoint: string) =>
  [...events.values()]
    .filter(({ recordId }) => recordId === endpoint)
    .map(({ id, record }) => ({ ...(JSON.parse(record) as EndpointRecord), id }))
const publishedAll = (endpoint: string, count: number) =>
  until(() => published(endpoint).length >= count, { what: `${count} events of the circuit` })
const fieldOf = (endpoint: string, field: string) =>
  redis.hGet(`surehook:circuit:${endpoint}`, field)

type OwnerOptions = { killed?: boolean; cooldownMs?: number; webhookId?: string | null }

/** The circuit of an owner. A killed owner publishes nothing. */
function owner(
  endpoint: string,
  { killed = false, cooldownMs = 60_000, webhookId = null }: OwnerOptions = {},
) {
  const { producer, codec } = harness
  const circuitEvents = killed
    ? { publish: () => undefined }
    : new CircuitEvents({ producer, codec, store, nameOf: (id) => `name of ${id}`, log })
  return new Circuit(
    { endpointId: endpoint, webhookId },
    { store, threshold: 5, cooldownMs, events: circuitEvents },
    () => undefined,
  )
}

async function opened(circuit: Circuit, at = place()) {
  for (let nth = 0; nth < 5; nth++) await circuit.record(failure, at)
}

it('an opening and its end are published once, and Redis then forgets both', async () => {
  const endpoint = randomUUID()
  const circuit = owner(endpoint, { cooldownMs: 300 })
  await opened(circuit)
  await publishedAll(endpoint, 2)
  expect(published(endpoint).map(({ change }) => change)).toEqual([
    'circuit_opened',
    'circuit_closed',
  ])
  const isForgotten = async () => (await redis.exists(`surehook:circuit:${endpoint}`)) === 0
  await until(isForgotten, { what: 'Redis to forget' })
  circuit.dispose()
})

it('the events of a circuit of one webhook name it', async () => {
  const endpoint = randomUUID()
  const circuit = owner(endpoint, { webhookId: 'w' })
  await opened(circuit)
  circuit.closeByRequest()
  await publishedAll(endpoint, 2)
  expect(published(endpoint)).toMatchObject([
    { change: 'circuit_opened', webhookId: 'w', webhookName: 'name of w' },
    { change: 'circuit_closed', webhookId: 'w', webhookName: 'name of w' },
  ])
  circuit.dispose()
})

it('an opening of a killed owner is published by the next one, and not again by the third', async () => {
  const endpoint = randomUUID()
  const killed = owner(endpoint, { killed: true })
  await opened(killed)
  killed.dispose()
  const next = owner(endpoint)
  await next.restore()
  await publishedAll(endpoint, 1)
  const isMarked = async () =>
    (await fieldOf(endpoint, 'publishedUntil')) === (await fieldOf(endpoint, 'openUntil'))
  await until(isMarked, { what: 'the mark in Redis' })
  next.dispose()
  const third = owner(endpoint)
  await third.restore()
  third.closeByRequest()
  await publishedAll(endpoint, 2)
  expect(published(endpoint).map(({ change }) => change)).toEqual([
    'circuit_opened',
    'circuit_closed',
  ])
})

it('an opening that ended while no owner lived is published with its end', async () => {
  const endpoint = randomUUID()
  const killed = owner(endpoint, { killed: true, cooldownMs: 50 })
  await opened(killed)
  const openUntil = Number(await fieldOf(endpoint, 'openUntil'))
  killed.dispose()
  await until(() => Date.now() > openUntil, { what: 'the end' })
  const next = owner(endpoint)
  await next.restore()
  await publishedAll(endpoint, 2)
  expect(published(endpoint).map(({ change }) => change)).toEqual([
    'circuit_opened',
    'circuit_closed',
  ])
  next.dispose()
})

it('a failure before the end is published belongs to the next opening, in Redis too', async () => {
  const endpoint = randomUUID()
  const { producer, codec } = harness
  const real = new CircuitEvents({ producer, codec, store, nameOf: () => null, log })
  const unpublished: (() => void)[] = []
  const publish = (change: Parameters<CircuitEvents['publish']>[0]) =>
    change.isOpen ? real.publish(change) : void unpublished.push(() => real.publish(change))
  const options = { store, threshold: 5, cooldownMs: 60_000, events: { publish } }
  const circuit = new Circuit({ endpointId: endpoint, webhookId: null }, options, () => undefined)
  await opened(circuit)
  circuit.closeByRequest()
  await circuit.record(failure, place())

  // Kafka acknowledges the end late.
  for (const send of unpublished) send()
  await publishedAll(endpoint, 2)
  await until(async () => (await fieldOf(endpoint, 'openUntil')) === null, {
    what: 'Redis to forget the first opening',
  })
  for (let nth = 0; nth < 4; nth++) await circuit.record(failure, place())

  expect(circuit.isOpen).toBe(true)
  expect(Number(await fieldOf(endpoint, 'openUntil'))).toBeGreaterThan(Date.now())
  circuit.dispose()
})
