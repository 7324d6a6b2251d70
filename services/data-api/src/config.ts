import { certificateEnv, certificateFiles } from '@surehook/service-kit/config/certificates'
import {
  credentials,
  httpEnv,
  kafkaEnv,
  postgresEnv,
  readEnv,
  userTokenEnv,
} from '@surehook/service-kit/config/config'
import {
  databaseConnection,
  kafkaConnection,
  registrySecurity,
} from '@surehook/service-kit/config/connections'
import { retryTopicNames } from '@surehook/service-kit/config/retry-ladder'
import { gatewayEnv } from '@surehook/service-kit/http/request/client-address'
import { slotOf } from '@surehook/service-kit/postgres/capture-slot'
import { tracingConfig, tracingEnv } from '@surehook/service-kit/telemetry/tracing/open-tracing'
import * as z from 'zod'

export const service = 'data-api'

/** Without a slash at its end. */
const httpUrl = z.url({ protocol: /^https?$/ }).transform((url) => url.replace(/\/+$/, ''))

export const Env = z.object({
  ...httpEnv,
  ...tracingEnv,
  ...certificateEnv,
  ...kafkaEnv,
  ...postgresEnv,
  ...gatewayEnv,
  ...userTokenEnv,
  AUTH_SERVICE_URL: httpUrl,
  PUBLIC_URL: httpUrl,
  SERVICE_TOKEN: credentials,
  DATABASE_POOL_SIZE: z.coerce.number().int().min(2).max(200).default(16),
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
    poolSize: read.DATABASE_POOL_SIZE,
    slot: slotOf(service),
    kafka: kafkaConnection(read, service),
    registryUrl: read.SCHEMA_REGISTRY_URL,
    registrySecurity: registrySecurity(read),
    auth: {
      /** Where auth-service answers us. */
      url: read.AUTH_SERVICE_URL,
      /** What clients see as the base URL: whose tokens count follows from it. */
      publicUrl: read.PUBLIC_URL,
      /** The first: the others are for those who check. */
      serviceToken: read.SERVICE_TOKEN[0] ?? '',
    },
    /** Whose `X-Forwarded-For` is believed. */
    trustedProxies: read.AUTH_TRUSTED_PROXIES,
    maxFailedTokensPerMinute: read.AUTH_FAILED_TOKENS_PER_MINUTE,
    delayNames: retryTopicNames(read),
  })
}
