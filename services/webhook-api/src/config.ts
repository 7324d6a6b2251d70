import { userTokenEnv } from '@surehook/access/users/user-token-env'
import { messagingConfig } from '@surehook/kafka/config/kafka-connection'
import { kafkaEnv } from '@surehook/kafka/config/kafka-env'
import { retryLadderOf } from '@surehook/kafka/config/retry-ladder'
import { maxBodyEnv } from '@surehook/matching/body-limit'
import { certificateEnv, certificateFiles } from '@surehook/service-kit/config/certificates'
import {
  commaList,
  credentials,
  durationBetween,
  encryptionKeyEnv,
  encryptionKeysOf,
  httpEnv,
  httpUrl,
  perSecondEnv,
  postgresEnv,
  readEnv,
  redisEnv,
} from '@surehook/service-kit/config/config'
import {
  databaseConnection,
  optionalRedis,
  siblingConnection,
} from '@surehook/service-kit/config/connections'
import { gatewayEnv } from '@surehook/service-kit/http/request/trusted-proxies'
import { slotOf } from '@surehook/service-kit/postgres/capture-slot'
import { tracingConfig, tracingEnv } from '@surehook/service-kit/telemetry/tracing/open-tracing'
import * as z from 'zod'

export const service = 'webhook-api'

const sha256 = z
  .string()
  .regex(/^[0-9a-f]{64}$/i, 'must be 64 hex digits')
  .transform((hex): Buffer => Buffer.from(hex, 'hex'))

export const Env = z.object({
  ...httpEnv,
  ...tracingEnv,
  ...certificateEnv,
  ...kafkaEnv,
  ...postgresEnv,
  HISTORY_DATABASE_URL: postgresEnv.DATABASE_URL.optional(),
  ...encryptionKeyEnv,
  ...maxBodyEnv,
  ...gatewayEnv,
  ...userTokenEnv,
  ...redisEnv,
  // For `_endpoints`, and for limits over all replicas. Optional: older versions had no Redis.
  REDIS_URL: redisEnv.REDIS_URL.optional(),
  WEBHOOK_DISABLE_AFTER: z
    .union([z.literal('0').transform(() => 0), durationBetween('100ms', '365d')])
    .prefault('0'),
  WEBHOOK_MAX_SUBSCRIPTIONS: z.coerce.number().int().min(1).max(100_000).default(1_000),
  // The SHA-256 of the administrator's token suffices to recognise it, and is useless elsewhere. If
  // it is empty, nobody is admitted.
  PLATFORM_ADMIN_TOKEN_SHA256: commaList.pipe(z.array(sha256).max(5)).prefault(''),
  // For streams to users. Optional: older versions had none.
  AUTH_SERVICE_URL: httpUrl.optional(),
  PUBLIC_URL: httpUrl.optional(),
  SERVICE_TOKEN: credentials.optional(),
  STREAMS_PER_USER: z.coerce.number().int().min(1).max(1_000).default(10),
  STREAMS_PER_TENANT: z.coerce.number().int().min(1).max(10_000).default(100),
  STREAMS_PER_REPLICA: z.coerce.number().int().min(1).max(100_000).default(2_000),
  WEBHOOKS_LIMIT_PER_SECOND: perSecondEnv(1_000),
  WEBHOOKS_LIMIT_PER_CALLER_PER_SECOND: perSecondEnv(500),
  WEBHOOK_HISTORY_DAYS: z.coerce.number().int().min(1).max(3_650).default(30),
})

type UserSettings = Pick<
  z.output<typeof Env>,
  'AUTH_SERVICE_URL' | 'PUBLIC_URL' | 'SERVICE_TOKEN' | 'AUTH_FAILED_TOKENS_PER_MINUTE'
>

function usersOf(read: UserSettings) {
  const { AUTH_SERVICE_URL: url, PUBLIC_URL: publicUrl, SERVICE_TOKEN: tokens } = read
  // The first token is for sending; the others are only for verifying.
  const serviceToken = tokens?.[0]
  if (url === undefined || publicUrl === undefined || serviceToken === undefined) return null
  const maxFailedTokensPerMinute = read.AUTH_FAILED_TOKENS_PER_MINUTE
  return { url, publicUrl, serviceToken, maxFailedTokensPerMinute }
}

export type Config = ReturnType<typeof readConfig>

/** Reads the environment; no other code does. A bad value throws before anything opens. */
export function readConfig(env: NodeJS.ProcessEnv) {
  const read = readEnv(Env, env)
  return Object.freeze({
    logLevel: read.LOG_LEVEL,
    tracing: tracingConfig(read, service),
    certificates: certificateFiles(read),
    http: { host: read.HOST, port: read.PORT, trustedProxies: read.AUTH_TRUSTED_PROXIES },
    internal: { host: read.HOST, port: read.INTERNAL_PORT },
    databaseUrl: databaseConnection(read),
    historyUrl: siblingConnection(read, {
      ...{ suffix: 'history', name: 'HISTORY_DATABASE_URL' },
      url: read.HISTORY_DATABASE_URL,
    }),
    slot: slotOf(service),
    ...messagingConfig(read, service),
    redis: optionalRedis(read),
    /** Verifies users' access tokens. `null`: streams take management tokens only. */
    users: usersOf(read),
    limits: {
      perSecond: read.WEBHOOKS_LIMIT_PER_SECOND,
      perTokenPerSecond: read.WEBHOOKS_LIMIT_PER_CALLER_PER_SECOND,
    },
    longestDelayMs: Math.max(...read.WEBHOOK_RETRY_DELAYS.map(({ ms }) => ms)),
    retryLadder: retryLadderOf(read),
    /** The delays of subscriptions whose policy has none. */
    defaultDelays: read.WEBHOOK_RETRY_DELAYS.map(({ name }) => name),
    // The jitter adds up to a tenth. Within 10 s after the attempt the history has its outcome.
    longestRetryMs: 1.1 * Math.max(...retryLadderOf(read).map(({ ms }) => ms)) + 10_000,
    adminTokenDigests: read.PLATFORM_ADMIN_TOKEN_SHA256,
    encryptionKeys: encryptionKeysOf(read),
    maxBodyBytes: read.WEBHOOK_MAX_BODY,
    disableAfterMs: read.WEBHOOK_DISABLE_AFTER,
    disableLookMs: Math.ceil(Math.min(60_000, read.WEBHOOK_DISABLE_AFTER / 10)),
    maxSubscriptions: read.WEBHOOK_MAX_SUBSCRIPTIONS,
    historyDays: read.WEBHOOK_HISTORY_DAYS,
    streams: {
      perTenant: read.STREAMS_PER_TENANT,
      perUser: read.STREAMS_PER_USER,
      perReplica: read.STREAMS_PER_REPLICA,
      heartbeatMs: 15_000,
    },
  })
}
