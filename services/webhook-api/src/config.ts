import { hostname } from 'node:os'
import {
  encryptionKeyEnv,
  httpEnv,
  kafkaEnv,
  postgresEnv,
  readEnv,
} from '@surehook/service-kit/config'
import { slotOf } from '@surehook/service-kit/postgres/capture-slot'
import * as z from 'zod'

export const service = 'webhook-api'

const Env = z.object({
  ...httpEnv,
  ...kafkaEnv,
  ...postgresEnv,
  ...encryptionKeyEnv,
  WEBHOOK_MAX_SUBSCRIPTIONS: z.coerce.number().int().min(1).max(100_000).default(1_000),
})

export type Config = ReturnType<typeof readConfig>

/** The only reader of the environment; a bad value stops the process before anything opens. */
export function readConfig(env: NodeJS.ProcessEnv) {
  const read = readEnv(Env, env)
  return Object.freeze({
    logLevel: read.LOG_LEVEL,
    http: { host: read.HOST, port: read.PORT },
    internal: { host: read.HOST, port: read.INTERNAL_PORT },
    databaseUrl: read.DATABASE_URL,
    slot: slotOf(service),
    kafka: {
      brokers: read.KAFKA_BROKERS,
      partitions: read.KAFKA_PARTITIONS,
      replicationFactor: read.KAFKA_REPLICATION_FACTOR,
      clientId: `${service}-${hostname()}-${process.pid}`,
    },
    registryUrl: read.SCHEMA_REGISTRY_URL,
    delayNames: read.WEBHOOK_RETRY_DELAYS.map(({ name }) => name),
    encryptionKey: read.KEY_ENCRYPTION_KEY,
    maxSubscriptions: read.WEBHOOK_MAX_SUBSCRIPTIONS,
  })
}
