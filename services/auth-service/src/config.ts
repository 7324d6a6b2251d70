import { availableParallelism } from 'node:os'
import { certificateEnv, certificateFiles } from '@surehook/service-kit/config/certificates'
import {
  credentials,
  duration,
  durationBetween,
  encryptionKeyEnv,
  encryptionKeysOf,
  httpEnv,
  kafkaEnv,
  postgresEnv,
  readEnv,
  redisEnv,
  userTokenEnv,
} from '@surehook/service-kit/config/config'
import {
  databaseConnection,
  kafkaConnection,
  redisConnection,
  registrySecurity,
} from '@surehook/service-kit/config/connections'
import { retryTopicNames } from '@surehook/service-kit/config/retry-ladder'
import { gatewayEnv } from '@surehook/service-kit/http/request/client-address'
import { slotOf } from '@surehook/service-kit/postgres/capture-slot'
import { tracingConfig, tracingEnv } from '@surehook/service-kit/telemetry/tracing/open-tracing'
import * as z from 'zod'

export const service = 'auth-service'

/** Threads of libuv for what is not a hash: signatures, files, names. */
const otherThreads = 2

const variables = z.object({
  ...httpEnv,
  ...tracingEnv,
  ...certificateEnv,
  ...kafkaEnv,
  ...postgresEnv,
  ...redisEnv,
  ...encryptionKeyEnv,
  ...userTokenEnv,
  PLATFORM_ADMIN_TOKEN: credentials,
  SERVICE_TOKEN: credentials,
  PUBLIC_URL: z.url({ protocol: /^https?$/ }).transform((url) => url.replace(/\/+$/, '')),
  SMTP_URL: z.url({ protocol: /^smtps?$/ }),
  MAIL_FROM: z.string().min(3).max(320).default('Surehook <no-reply@localhost>'),
  AUTH_HASH_CONCURRENCY: z.coerce.number().int().min(1).max(1024).default(availableParallelism()),
  AUTH_BREACH_URL: z.url({ protocol: /^https?$/ }).default('https://api.pwnedpasswords.com/range/'),
  AUTH_HASH_MAX_WAIT: duration.prefault('2s'),
  AUTH_KEY_MAX_AGE: duration.prefault('90d'),
  // Not shorter than verifiers may keep a key set: they would refuse tokens under a key they cannot know.
  AUTH_KEY_LEAD: durationBetween('5m', '7d').prefault('7m'),
  ...gatewayEnv,
  /** Node's own; 4 is its default. */
  UV_THREADPOOL_SIZE: z.coerce.number().int().min(1).max(1024).default(4),
})

export const Env = variables.superRefine((read, ctx) => {
  const least = read.AUTH_HASH_CONCURRENCY + otherThreads
  if (read.UV_THREADPOOL_SIZE >= least) return
  const message = `must be at least ${least}, since AUTH_HASH_CONCURRENCY is ${read.AUTH_HASH_CONCURRENCY}`
  ctx.addIssue({ code: 'custom', path: ['UV_THREADPOOL_SIZE'], message })
})

export type Config = ReturnType<typeof readConfig>

/** The only reader of the environment; a bad value stops the process before anything opens. */
export function readConfig(env: NodeJS.ProcessEnv) {
  const read = readEnv(Env, env)
  return Object.freeze({
    logLevel: read.LOG_LEVEL,
    tracing: tracingConfig(read, service),
    certificates: certificateFiles(read),
    http: { host: read.HOST, port: read.PORT },
    internal: { host: read.HOST, port: read.INTERNAL_PORT },
    databaseUrl: databaseConnection(read),
    service,
    slot: slotOf(service),
    kafka: kafkaConnection(read, service),
    registryUrl: read.SCHEMA_REGISTRY_URL,
    registrySecurity: registrySecurity(read),
    delayNames: retryTopicNames(read),
    redis: redisConnection(read),
    encryptionKeys: encryptionKeysOf(read),
    adminTokens: read.PLATFORM_ADMIN_TOKEN,
    /** Of other services, for what no client may ask. */
    serviceTokens: read.SERVICE_TOKEN,
    /** What clients see as our base URL, without a slash at its end. */
    publicUrl: read.PUBLIC_URL,
    mail: { smtpUrl: read.SMTP_URL, from: read.MAIL_FROM },
    hashing: { concurrency: read.AUTH_HASH_CONCURRENCY, maxWaitMs: read.AUTH_HASH_MAX_WAIT },
    breachRangeUrl: read.AUTH_BREACH_URL,
    /** Whose `X-Forwarded-For` is believed. */
    trustedProxies: read.AUTH_TRUSTED_PROXIES,
    maxFailedTokensPerMinute: read.AUTH_FAILED_TOKENS_PER_MINUTE,
    keyMaxAgeMs: read.AUTH_KEY_MAX_AGE,
    /** As long as anybody may keep the published keys, at least. */
    keyLeadMs: read.AUTH_KEY_LEAD,
  })
}
