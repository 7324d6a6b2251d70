import { availableParallelism, hostname } from 'node:os'
import {
  duration,
  encryptionKeyEnv,
  httpEnv,
  kafkaEnv,
  postgresEnv,
  readEnv,
  redisEnv,
} from '@surehook/service-kit/config'
import { slotOf } from '@surehook/service-kit/postgres/capture-slot'
import * as z from 'zod'

export const service = 'auth-service'

const credential = z.string().regex(/^\S{16,512}$/, 'must be 16 to 512 characters')

const Env = z.object({
  ...httpEnv,
  ...kafkaEnv,
  ...postgresEnv,
  ...redisEnv,
  ...encryptionKeyEnv,
  PLATFORM_ADMIN_TOKEN: credential,
  SERVICE_TOKEN: credential,
  PUBLIC_URL: z.url({ protocol: /^https?$/ }).transform((url) => url.replace(/\/+$/, '')),
  SMTP_URL: z.url({ protocol: /^smtps?$/ }),
  MAIL_FROM: z.string().min(3).max(320).default('Surehook <no-reply@localhost>'),
  AUTH_HASH_CONCURRENCY: z.coerce.number().int().min(1).max(1024).default(availableParallelism()),
  AUTH_BREACH_URL: z.url({ protocol: /^https?$/ }).default('https://api.pwnedpasswords.com/range/'),
  AUTH_HASH_MAX_WAIT: duration.prefault('2s'),
  AUTH_KEY_MAX_AGE: duration.prefault('90d'),
  // Verifiers may keep a key set for 5 minutes, replicas of ours for one.
  AUTH_KEY_LEAD: duration.prefault('7m'),
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
    service,
    slot: slotOf(service),
    kafka: {
      brokers: read.KAFKA_BROKERS,
      partitions: read.KAFKA_PARTITIONS,
      replicationFactor: read.KAFKA_REPLICATION_FACTOR,
      clientId: `${service}-${hostname()}-${process.pid}`,
    },
    registryUrl: read.SCHEMA_REGISTRY_URL,
    delayNames: read.WEBHOOK_RETRY_DELAYS.map(({ name }) => name),
    redisUrl: read.REDIS_URL,
    encryptionKey: read.KEY_ENCRYPTION_KEY,
    adminToken: read.PLATFORM_ADMIN_TOKEN,
    /** Of other services, for what no client may ask. */
    serviceToken: read.SERVICE_TOKEN,
    /** What clients see as our base URL, without a slash at its end. */
    publicUrl: read.PUBLIC_URL,
    mail: { smtpUrl: read.SMTP_URL, from: read.MAIL_FROM },
    hashing: { concurrency: read.AUTH_HASH_CONCURRENCY, maxWaitMs: read.AUTH_HASH_MAX_WAIT },
    breachRangeUrl: read.AUTH_BREACH_URL,
    keyMaxAgeMs: read.AUTH_KEY_MAX_AGE,
    /** Longer than anybody may keep the published keys. */
    keyLeadMs: read.AUTH_KEY_LEAD,
  })
}
