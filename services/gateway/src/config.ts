import { duration, httpEnv, readEnv } from '@surehook/service-kit/config/config'
import { proxyList } from '@surehook/service-kit/http/request/trusted-proxies'
import { tracingConfig, tracingEnv } from '@surehook/service-kit/telemetry/tracing/open-tracing'
import * as z from 'zod'
import { allowedOrigins, everyOrigin } from './cors/allowed-origins.ts'

export const service = 'gateway'

const upstream = z.url({ protocol: /^https?$/ }).transform((text) => new URL(text))

export const Env = z.object({
  ...httpEnv,
  ...tracingEnv,
  AUTH_SERVICE_URL: upstream,
  DATA_API_URL: upstream,
  POSTGRES_SOURCE_URL: upstream,
  WEBHOOK_API_URL: upstream,
  /** The base URL that clients use. */
  PUBLIC_URL: z.url({ protocol: /^https?$/ }).optional(),
  TRUSTED_PROXIES: proxyList.prefault(''),
  CORS_ALLOWED_ORIGINS: allowedOrigins.prefault(everyOrigin),
  /** A receiver that the console offers to users who have none yet. */
  CONSOLE_TEST_RECEIVER: z.url({ protocol: /^https$/ }).optional(),
  GATEWAY_BODY_LIMIT_BYTES: z.coerce
    .number()
    .int()
    .positive()
    .default(1024 * 1024),
  GATEWAY_UPSTREAM_TIMEOUT: duration.prefault('30s'),
})

export type Config = ReturnType<typeof readConfig>

export function readConfig(env: NodeJS.ProcessEnv) {
  const read = readEnv(Env, env)
  return Object.freeze({
    logLevel: read.LOG_LEVEL,
    tracing: tracingConfig(read, service),
    http: { port: read.PORT, internalPort: read.INTERNAL_PORT, host: read.HOST },
    upstreams: {
      auth: read.AUTH_SERVICE_URL,
      data: read.DATA_API_URL,
      sources: read.POSTGRES_SOURCE_URL,
      webhooks: read.WEBHOOK_API_URL,
    },
    publicUrl: read.PUBLIC_URL,
    trustedProxies: read.TRUSTED_PROXIES,
    allowedOrigins: read.CORS_ALLOWED_ORIGINS,
    testReceiver: read.CONSOLE_TEST_RECEIVER,
    bodyLimitBytes: read.GATEWAY_BODY_LIMIT_BYTES,
    upstreamTimeoutMs: read.GATEWAY_UPSTREAM_TIMEOUT,
  })
}
