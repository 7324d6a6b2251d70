import { topicTable } from '@surehook/contracts/topics'
import { createKafka } from '@surehook/kafka/client/client'
import type { Kafka } from '@surehook/kafka/client/surface'
import { ensureTopics } from '@surehook/kafka/topics/topics'
import type { TopicView } from '@surehook/kafka/views/topic-view'
import { type EventCodec, openEventCodec } from '@surehook/schemas/codec'
import { AppError } from '@surehook/service-kit/errors'
import type { Service } from '@surehook/service-kit/lifecycle'
import { createLogger } from '@surehook/service-kit/telemetry/log'
import { waitUntil } from '@surehook/service-kit/wait-until'
import { patienceMs } from './until.ts'

export const log = createLogger('test', process.env['TEST_LOG_LEVEL'] ?? 'silent')

/** The system tests use the same number, because they may run on the same stack. */
export const partitions = '4'

export type Stack = {
  databaseUrl: string
  kafkaBrokers: string
  schemaRegistryUrl: string
  redisUrl: string
}

export const sharedStack = (): Stack => ({
  databaseUrl: process.env['TEST_DATABASE_URL'] ?? '',
  kafkaBrokers: process.env['TEST_KAFKA_BROKERS'] ?? '',
  schemaRegistryUrl: process.env['TEST_REGISTRY_URL'] ?? '',
  redisUrl: process.env['TEST_REDIS_URL'] ?? '',
})

/** Opens clients of a stack, and creates the platform's topics. */
export async function openClients(
  stack: Pick<Stack, 'kafkaBrokers' | 'schemaRegistryUrl'>,
): Promise<{ kafka: Kafka; codec: EventCodec }> {
  const kafka = createKafka({ brokers: [stack.kafkaBrokers], clientId: 'test', log })
  await ensureTopics(kafka, topicTable(['1s', '5s', '30s', '5m']), {
    mainPartitions: Number(partitions),
    replicationFactor: 1,
    log,
    signal: AbortSignal.timeout(120_000),
  })
  return { kafka, codec: await openEventCodec({ registryUrl: stack.schemaRegistryUrl }) }
}

export type ComposedService = Service & {
  readonly ports: { readonly api: number; readonly internal: number }
}

/** The URLs of a service that runs in the process of the test. */
export type Running = AsyncDisposable & { readonly api: string; readonly internal: string }

export async function startComposed(
  compose: (signal: AbortSignal) => Promise<ComposedService>,
): Promise<Running> {
  const stop = new AbortController()
  const running = await compose(stop.signal)
  await running.start(stop.signal)
  return {
    api: `http://127.0.0.1:${running.ports.api}`,
    internal: `http://127.0.0.1:${running.ports.internal}`,
    async [Symbol.asyncDispose]() {
      stop.abort()
      await running[Symbol.asyncDispose]()
    },
  }
}

/** Waits until `/readyz` of a service answers with this status. */
export async function waitForReadiness(internal: string, status: number): Promise<void> {
  const isThere = async () => {
    const response = await fetch(`${internal}/readyz`).catch(() => null)
    return response?.status === status
  }
  await waitUntil(isThere, { what: `readiness ${status}`, timeoutMs: patienceMs })
}

/** After an outage the tests' own view needs a moment to catch up. */
export async function caughtUp(view: TopicView): Promise<void> {
  const isCurrent = () =>
    view.barrier().then(
      () => true,
      (err: unknown) => {
        if (err instanceof AppError) return false
        throw err
      },
    )
  await waitUntil(isCurrent, { what: 'the view of the topics', timeoutMs: patienceMs })
}
