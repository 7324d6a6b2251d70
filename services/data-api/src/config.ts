import { userTokenEnv } from '@surehook/access/users/user-token-env'
import { messagingConfig } from '@surehook/kafka/config/kafka-connection'
import { kafkaEnv } from '@surehook/kafka/config/kafka-env'
import { certificateEnv, certificateFiles } from '@surehook/service-kit/config/certificates'
import {
  credentials,
  httpEnv,
  httpUrl,
  perSecondEnv,
  postgresEnv,
  readEnv,
  redisEnv,
} from '@surehook/service-kit/config/config'
import { databaseConnection, optionalRedis } from '@surehook/service-kit/config/connections'
import { gatewayEnv } from '@surehook/service-kit/http/request/trusted-proxies'
import { slotOf } from '@surehook/service-kit/postgres/capture-slot'
import { tracingConfig, tracingEnv } from '@surehook/service-kit/telemetry/tracing/open-tracing'
import * as z from 'zod'

export const service = 'data-api'

export const Env = z.object({
  ...httpEnv,
  ...tracingEnv,
  ...certificateEnv,
  ...kafkaEnv,
  ...postgresEnv,
  ...gatewayEnv,
  ...userTokenEnv,
  ...redisEnv,
  // For limits over all replicas.
  REDIS_URL: redisEnv.REDIS_URL.optional(),
  DATA_LIMIT_PER_SECOND: perSecondEnv(10_000),
  DATA_LIMIT_PER_CALLER_PER_SECOND: perSecondEnv(5_000),
  AUTH_SERVICE_URL: httpUrl,
  PUBLIC_URL: httpUrl,
  SERVICE_TOKEN: credentials,
  DATABASE_POOL_SIZE: z.coerce.number().int().min(2).max(200).default(16),
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
    poolSize: read.DATABASE_POOL_SIZE,
    slot: slotOf(service),
    ...messagingConfig(read, service),
    redis: optionalRedis(read),
    limits: {
      perSecond: read.DATA_LIMIT_PER_SECOND,
      perTokenPerSecond: read.DATA_LIMIT_PER_CALLER_PER_SECOND,
    },
    auth: {
      /** The address of auth-service. */
      url: read.AUTH_SERVICE_URL,
      /** The base URL that clients use. The issuer of valid tokens follows from it. */
      publicUrl: read.PUBLIC_URL,
      /** The first token is for sending; the others are only for verifying. */
      serviceToken: read.SERVICE_TOKEN[0] ?? '',
    },
    /** Proxies whose `X-Forwarded-For` is trusted. */
    trustedProxies: read.AUTH_TRUSTED_PROXIES,
    maxFailedTokensPerMinute: read.AUTH_FAILED_TOKENS_PER_MINUTE,
  })
}
