import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { userTokenEnv } from '@surehook/access/users/user-token-env'
import { messagingConfig } from '@surehook/kafka/config/kafka-connection'
import { kafkaEnv } from '@surehook/kafka/config/kafka-env'
import { certificateEnv, certificateFiles } from '@surehook/service-kit/config/certificates'
import {
  credentials,
  duration,
  durationBetween,
  encryptionKeyEnv,
  encryptionKeysOf,
  httpEnv,
  httpUrl,
  postgresEnv,
  readEnv,
  redisEnv,
} from '@surehook/service-kit/config/config'
import { databaseConnection, redisConnection } from '@surehook/service-kit/config/connections'
import { gatewayEnv } from '@surehook/service-kit/http/request/trusted-proxies'
import { networkList } from '@surehook/service-kit/outbound/network-list'
import { slotOf } from '@surehook/service-kit/postgres/capture-slot'
import { tracingConfig, tracingEnv } from '@surehook/service-kit/telemetry/tracing/open-tracing'
import * as z from 'zod'

export const service = 'auth-service'

/** Threads of libuv that are kept free for work other than hashes: signatures, files, DNS. */
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
  PUBLIC_URL: httpUrl,
  SMTP_URL: z.url({ protocol: /^smtps?$/ }),
  MAIL_FROM: z.string().min(3).max(320).default('Surehook <no-reply@localhost>'),
  AUTH_HASH_CONCURRENCY: z.coerce.number().int().min(1).max(1024).default(availableParallelism()),
  AUTH_BREACH_URL: z.url({ protocol: /^https?$/ }).default('https://api.pwnedpasswords.com/range/'),
  AUTH_HASH_MAX_WAIT: duration.prefault('2s'),
  AUTH_KEY_MAX_AGE: duration.prefault('90d'),
  // Must be at least as long as verifiers may cache a key set: they refuse tokens under a key that
  // they do not know.
  AUTH_KEY_LEAD: durationBetween('5m', '7d').prefault('7m'),
  WEBHOOK_ALLOWED_NETWORKS: networkList,
  ...gatewayEnv,
  /** Node's own variable; its default is 4. */
  UV_THREADPOOL_SIZE: z.coerce.number().int().min(1).max(1024).default(4),
})

export const Env = variables.superRefine((read, ctx) => {
  const least = read.AUTH_HASH_CONCURRENCY + otherThreads
  if (read.UV_THREADPOOL_SIZE >= least) return
  const message = `must be at least ${least}, since AUTH_HASH_CONCURRENCY is ${read.AUTH_HASH_CONCURRENCY}`
  ctx.addIssue({ code: 'custom', path: ['UV_THREADPOOL_SIZE'], message })
})

export type Config = ReturnType<typeof readConfig>

/** Reads the environment; no other code does. A bad value throws before anything opens. */
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
    ...messagingConfig(read, service),
    redis: redisConnection(read),
    encryptionKeys: encryptionKeysOf(read),
    adminTokens: read.PLATFORM_ADMIN_TOKEN,
    /** Bearer tokens of other services, for routes that clients may not call. */
    serviceTokens: read.SERVICE_TOKEN,
    /** The base URL that clients use, without a trailing slash. */
    publicUrl: read.PUBLIC_URL,
    mail: { smtpUrl: read.SMTP_URL, from: read.MAIL_FROM },
    /** Where alerts to chats, and requests to trusted issuers, may go: as deliveries of webhooks. */
    outbound: {
      allowedNetworks: read.WEBHOOK_ALLOWED_NETWORKS,
      extraCa: read.WEBHOOK_EXTRA_CA_FILE ? [readFileSync(read.WEBHOOK_EXTRA_CA_FILE, 'utf8')] : [],
    },
    hashing: { concurrency: read.AUTH_HASH_CONCURRENCY, maxWaitMs: read.AUTH_HASH_MAX_WAIT },
    breachRangeUrl: read.AUTH_BREACH_URL,
    /** Proxies whose `X-Forwarded-For` is trusted. */
    trustedProxies: read.AUTH_TRUSTED_PROXIES,
    maxFailedTokensPerMinute: read.AUTH_FAILED_TOKENS_PER_MINUTE,
    keyMaxAgeMs: read.AUTH_KEY_MAX_AGE,
    /** At least as long as verifiers may cache the published keys. */
    keyLeadMs: read.AUTH_KEY_LEAD,
  })
}
