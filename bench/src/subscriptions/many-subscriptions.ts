import { subscriptionsTopic } from '@surehook/contracts/topics'
import { createKafka } from '@surehook/kafka/client/client'
import { openProducer } from '@surehook/kafka/producer/producer'
import { openEventCodec } from '@surehook/schemas/codec'
import { encryptionKeyEnv, encryptionKeysOf, readEnv } from '@surehook/service-kit/config/config'
import { createSecretBox } from '@surehook/service-kit/crypto/secret-box'
import { createLogger } from '@surehook/service-kit/telemetry/log'
import * as z from 'zod'
import { environmentOf, pidFilesOf } from '../measure/service-processes.ts'
import type { Bench } from '../platform/open-bench.ts'
import { nthSubscription } from './nth-subscription.ts'

const batch = 2_000

/**
 * Subscriptions that are written directly to their topic: a million requests would take too long. No
 * service lists them, and disposing deletes them.
 */
export type ManySubscriptions = AsyncDisposable & { readonly bytesEach: number }

export async function writeSubscriptions(
  { system, runDirs, receiver }: Bench,
  { count, projects }: { count: number; projects: number },
): Promise<ManySubscriptions> {
  const [dispatcher = ''] = pidFilesOf(runDirs, 'webhook-dispatcher')
  const keys = encryptionKeysOf(readEnv(z.object(encryptionKeyEnv), environmentOf(dispatcher)))
  const { seal } = createSecretBox(...keys)
  const log = createLogger('bench', 'warn')
  const kafka = createKafka({ brokers: system.kafkaBrokers.split(','), clientId: 'bench', log })
  const codec = await openEventCodec({ registryUrl: system.schemaRegistryUrl, log })
  const producer = await openProducer(kafka, { log })
  const urlOf = (path: string) => receiver.url(path)
  const ids: string[] = []
  let bytes = 0
  for (let from = 0; from < count; from += batch) {
    const records = Array.from({ length: Math.min(batch, count - from) }, (_, n) => {
      const state = nthSubscription(from + n, { projects, urlOf, seal })
      const value = codec.subscription.encode(state)
      ids.push(state.id)
      bytes += value.length
      return { topic: subscriptionsTopic, key: state.id, partition: 0, value }
    })
    await producer.send(records)
  }
  return {
    bytesEach: bytes / count,
    async [Symbol.asyncDispose]() {
      for (let from = 0; from < ids.length; from += batch) {
        const tombstones = ids
          .slice(from, from + batch)
          .map((key) => ({ key, partition: 0, value: null }))
        await producer.send(tombstones.map((record) => ({ topic: subscriptionsTopic, ...record })))
      }
      await producer[Symbol.asyncDispose]()
    },
  }
}
