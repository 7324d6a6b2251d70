import { randomUUID } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type DeliveryAttempt,
  type DeliveryJob,
  type DeliveryPolicy,
  defaultPolicy,
  type SubscriptionState,
} from '@surehook/contracts/events'
import { deliveryId, endpointId, newEventId } from '@surehook/contracts/ids'
import { aJob, aSubscription } from '@surehook/contracts/testing/samples'
import { attemptsTopic, deliveriesTopic, subscriptionsTopic } from '@surehook/contracts/topics'
import { createKafka } from '@surehook/kafka/client/client'
import type { EventProducer } from '@surehook/kafka/producer/producer'
import { openProducer } from '@surehook/kafka/producer/producer'
import { headerNames, sealHeaders } from '@surehook/matching/own-headers'
import type { EventCodec } from '@surehook/schemas/codec'
import { openEventCodec } from '@surehook/schemas/codec'
import type { Certificates } from '@surehook/scripts/receiver/certificates'
import { createCertificates } from '@surehook/scripts/receiver/certificates'
import type { Receiver } from '@surehook/scripts/receiver/receiver'
import { openReceiver } from '@surehook/scripts/receiver/receiver'
import { createSecretBox } from '@surehook/service-kit/crypto/secret-box'
import { ownProcess } from '@surehook/service-kit/host'
import type { Metrics } from '@surehook/service-kit/telemetry/metrics'
import { endsOf, followTopics } from '@surehook/testing/follow-topics'
import { until } from '@surehook/testing/until'
import { pino } from 'pino'
import { compose } from '../../src/compose.ts'
import { readConfig } from '../../src/config.ts'

const env = process.env
const log = pino({ level: env['TEST_LOG'] ?? 'silent' })
// Constant, because all tests of a run share one stack and read secrets that earlier tests
// encrypted.
const encryptionKey = Buffer.alloc(32, 'test')

export type Harness = AsyncDisposable & {
  receiver: Receiver
  producer: EventProducer
  codec: EventCodec
  certificates: Certificates
  /** Starts the dispatcher; `env` overrides its variables. */
  start(env?: NodeJS.ProcessEnv): Promise<AsyncDisposable>
  /** Starts the dispatcher of this file, unless it runs with the same variables. */
  run(env?: NodeJS.ProcessEnv): Promise<void>
  /** Stops the dispatcher of this file. */
  stop(): Promise<void>
  /** The value of a metric of the dispatcher that was started last. */
  metric(name: string, labels: Record<string, string>): Promise<number | undefined>
  subscribe(
    url: string,
    change?: Partial<SubscriptionState>,
    secrets?: string[],
  ): Promise<SubscriptionState>
  /** A policy of the subscription; what is absent has its default. */
  policy(id: string, of: PolicyOf): DeliveryPolicy
  unsubscribe(id: string): Promise<void>
  /** Puts new jobs for the subscription on the deliveries topic, in order. */
  enqueue(
    subscription: SubscriptionState,
    count?: number,
    more?: { bytes?: number; recordId?: string | null },
  ): Promise<DeliveryJob[]>
  /** Puts one job on the deliveries topic, or on `topic`. */
  enqueueOne(subscription: SubscriptionState, topic?: string): Promise<DeliveryJob>
  send(topic: string, job: DeliveryJob): Promise<void>
  /** Returns the transitions of a delivery on the attempts topic, by step. */
  transitionsOf(deliveryId: string): DeliveryAttempt[]
  statusesOf(deliveryId: string): string[]
  /** The last one. */
  statusOf(deliveryId: string): string | undefined
  /** Resolves when this is the last status of a delivery. */
  settled(deliveryId: string, status: string): Promise<void>
  /** The bodies that the receiver got at a path. */
  bodies(path: string): { n: number; id: string }[]
}

export type PolicyOf = Partial<Omit<DeliveryPolicy, 'headers'>> & {
  headers?: Record<string, string>
}

/**
 * The dispatcher in this process, on the real broker, registry and Redis, and an HTTPS receiver.
 */
export async function openHarness(): Promise<Harness> {
  await using opening = new AsyncDisposableStack()
  const certificates = await createCertificates()
  const receiver = opening.use(await openReceiver(certificates))
  const dir = await mkdtemp(join(tmpdir(), 'dispatcher-'))
  opening.defer(() => rm(dir, { recursive: true }))
  const caFile = join(dir, 'ca.pem')
  await writeFile(caFile, certificates.ca)

  const kafka = createKafka({
    brokers: (env['TEST_KAFKA_BROKERS'] ?? '').split(','),
    clientId: 'dispatcher-test',
    log,
  })
  const codec = await openEventCodec({ registryUrl: env['TEST_REGISTRY_URL'] ?? '' })
  const producer = opening.use(await openProducer(kafka, { log }))
  const box = createSecretBox(encryptionKey)
  const transitions: DeliveryAttempt[] = []

  let metrics: Metrics | undefined
  const start: Harness['start'] = async (overrides = {}) => {
    const read = readConfig({
      INTERNAL_PORT: '0',
      KAFKA_BROKERS: env['TEST_KAFKA_BROKERS'],
      KAFKA_PARTITIONS: '4',
      SCHEMA_REGISTRY_URL: env['TEST_REGISTRY_URL'],
      REDIS_URL: env['TEST_REDIS_URL'],
      KEY_ENCRYPTION_KEY: encryptionKey.toString('base64'),
      WEBHOOK_RETRY_DELAYS: '100ms,200ms,300ms,400ms',
      WEBHOOK_CIRCUIT_COOLDOWN: '2s',
      // Generous, because a late answer on a busy machine would cause a second delivery.
      WEBHOOK_TIMEOUT: '20s',
      WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8,::1/128',
      WEBHOOK_EXTRA_CA_FILE: caFile,
      ...overrides,
    })
    // No state stays in memory, so that every dispatcher reads those of its deliveries.
    const config = { ...read, newestStates: 0 }
    const createMetrics = (of: string) => (metrics = ownProcess.createMetrics(of))
    const host = { ...ownProcess, createMetrics }
    const service = await compose(config, log, new AbortController().signal, host)
    await service.start(new AbortController().signal)
    return service
  }
  let running: { variables: string; service: AsyncDisposable } | null = null
  const stop = async () => {
    const stopped = running
    running = null
    await stopped?.service[Symbol.asyncDispose]()
  }
  const run: Harness['run'] = async (overrides = {}) => {
    const variables = JSON.stringify(overrides)
    if (running?.variables === variables) return
    await stop()
    running = { variables, service: await start(overrides) }
  }
  // Started once, because the dispatcher creates the topics.
  await (await start())[Symbol.asyncDispose]()

  const attempts = opening.use(
    followTopics({
      kafka,
      topics: [attemptsTopic],
      after: await endsOf(kafka, [attemptsTopic]),
      log,
      take: async ({ value }) => {
        if (value) transitions.push(await codec.attempt.decode(value))
      },
    }),
  )
  await attempts.ready

  const publish = async (id: string, state: SubscriptionState | null) => {
    const value = state === null ? null : codec.subscription.encode(state)
    await producer.send([{ topic: subscriptionsTopic, key: id, value }])
  }
  const projectId = `project-${randomUUID()}`
  const transitionsOf = (id: string) =>
    transitions
      .filter((transition) => transition.deliveryId === id)
      .toSorted((a, b) => a.step - b.step)
  const statusesOf = (id: string) => transitionsOf(id).map(({ status }) => status)
  const statusOf = (id: string) => statusesOf(id).at(-1)
  opening.defer(stop)
  const resources = opening.move()
  return {
    receiver,
    producer,
    codec,
    certificates,
    start,
    run,
    stop,
    async metric(name, labels) {
      const read = await metrics?.registry.getSingleMetric(name)?.get()
      const isIt = (of: Record<string, unknown>) =>
        Object.entries(labels).every(([label, value]) => of[label] === value)
      return read?.values.find((one) => isIt(one.labels))?.value
    },
    async subscribe(url, change = {}, secrets = ['test-secret']) {
      const id = change.id ?? randomUUID()
      const state = aSubscription({
        ...{ id, projectId, events: ['INSERT'], url },
        secrets: secrets.map((secret) => ({ ciphertext: box.seal(secret, id), validUntil: null })),
        updatedAt: new Date().toISOString(),
        ...change,
      })
      await publish(id, state)
      return state
    },
    policy: (id, { headers, ...rest }) => ({
      ...defaultPolicy,
      ...rest,
      headers: headers
        ? { names: headerNames(headers), ciphertext: sealHeaders(box, id, headers) }
        : null,
    }),
    unsubscribe: (id) => publish(id, null),
    async enqueueOne(subscription, topic = deliveriesTopic) {
      const job = jobOf(subscription, { n: 0 })
      await producer.send([record(codec, topic, job)])
      return job
    },
    async enqueue(subscription, count = 1, { bytes = 0, recordId = null } = {}) {
      const more = 'x'.repeat(bytes)
      const jobs = Array.from({ length: count }, (_, n) => ({
        ...jobOf(subscription, { n, more }),
        recordId,
      }))
      await producer.send(jobs.map((job) => record(codec, deliveriesTopic, job)))
      return jobs
    },
    send: (topic, job) => producer.send([record(codec, topic, job)]),
    transitionsOf,
    statusesOf,
    statusOf,
    settled: (id, status) => until(() => statusOf(id) === status),
    bodies: (path) =>
      receiver.receipts(path).map(({ body }) => JSON.parse(body) as { n: number; id: string }),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

function record(codec: EventCodec, topic: string, job: DeliveryJob) {
  const key = endpointId(job)
  return { topic, key, value: codec.job.encode(job) }
}

function jobOf(
  subscription: SubscriptionState,
  content: { n: number; more?: string },
): DeliveryJob {
  const { id, projectId, environment, table, url } = subscription
  const eventId = newEventId()
  const webhookId = deliveryId(eventId, id)
  return aJob({
    ...{ deliveryId: webhookId, webhookId, eventId, subscriptionId: id },
    ...{ projectId, environment, table, url },
    body: Buffer.from(JSON.stringify({ id: eventId, ...content })),
    createdAt: Date.now(),
    recordId: null,
  })
}
