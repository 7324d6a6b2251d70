import { getActiveResourcesInfo } from 'node:process'
import { afterEach, beforeEach, expect, it } from '@jest/globals'
import type { Messaging } from '@surehook/kafka/messaging'
import { openMessaging } from '@surehook/kafka/messaging'
import { createSecretBox } from '@surehook/service-kit/crypto/secret-box'
import { createMetrics } from '@surehook/service-kit/telemetry/metrics'
import { until } from '@surehook/testing/until'
import { pino } from 'pino'
import type { Poster } from '../src/attempt/http/post.ts'
import { readConfig } from '../src/config.ts'
import { openDeliveryEngine } from '../src/consume/delivery-engine.ts'
import type { CircuitStore } from '../src/endpoint/circuit-store.ts'
import { dispatcherMetrics } from '../src/metrics.ts'

const env = process.env
const log = pino({ level: 'silent' })
const config = readConfig({
  INTERNAL_PORT: '0',
  KAFKA_BROKERS: env['TEST_KAFKA_BROKERS'],
  KAFKA_PARTITIONS: '4',
  SCHEMA_REGISTRY_URL: env['TEST_REGISTRY_URL'],
  REDIS_URL: env['TEST_REDIS_URL'],
  KEY_ENCRYPTION_KEY: Buffer.alloc(32).toString('base64'),
  WEBHOOK_RETRY_DELAYS: '100ms,200ms,300ms,400ms',
})

let messaging: Messaging
let stop: AbortController
/** The number of active resources before anything was opened. */
let before: number
const running = () => getActiveResourcesInfo().filter((kind) => kind !== 'Immediate').length

beforeEach(async () => {
  before = running()
  stop = new AbortController()
  messaging = await openMessaging(config, {
    log,
    metrics: createMetrics('test'),
    signal: stop.signal,
  })
})
afterEach(async () => messaging[Symbol.asyncDispose]())

const open = () =>
  openDeliveryEngine(config, {
    ...messaging,
    poster: {} as Poster,
    circuits: {} as CircuitStore,
    opener: createSecretBox(Buffer.alloc(32)),
    metrics: dispatcherMetrics(createMetrics('test')),
    registry: createMetrics('test'),
    log,
    signal: stop.signal,
  })

/** Makes Kafka refuse to list topics from now on, and counts the requests. */
function refuseListing(times: number): { asked: number } {
  const count = { asked: 0 }
  const { kafka } = messaging
  const adminOf = kafka.admin.bind(kafka)
  kafka.admin = (options) => {
    const admin = adminOf(options)
    const listTopics = admin.listTopics.bind(admin)
    admin.listTopics = async () => {
      if (count.asked++ < times) throw new Error('away')
      return listTopics()
    }
    return admin
  }
  return count
}

it('waits while Kafka cannot list its topics', async () => {
  const count = refuseListing(2)
  await using _engine = await open()
  expect(count.asked).toBe(3)
})

it('leaves nothing running when it is stopped before it is open', async () => {
  const count = refuseListing(Number.POSITIVE_INFINITY)
  const opening = open().catch((err: unknown) => err)
  await until(() => count.asked > 0)
  stop.abort()
  expect(await opening).toMatchObject({ name: 'AbortError' })
  await messaging[Symbol.asyncDispose]()
  await until(() => running() <= before)
})
