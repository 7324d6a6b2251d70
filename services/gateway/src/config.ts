import { commaList, duration, httpEnv, readEnv } from '@surehook/service-kit/config'
import ipaddr from 'ipaddr.js'
import * as z from 'zod'

const upstream = z.url({ protocol: /^https?$/ }).transform((text) => new URL(text))

const cidr = z.string().transform((text, ctx) => {
  if (ipaddr.isValidCIDR(text)) return ipaddr.parseCIDR(text)
  if (ipaddr.isValid(text)) {
    const address = ipaddr.parse(text)
    const whole = address.kind() === 'ipv4' ? 32 : 128
    return [address, whole] as [typeof address, number]
  }
  ctx.addIssue({ code: 'custom', message: `"${text}" is not an address or CIDR` })
  return z.NEVER
})

const Env = z.object({
  ...httpEnv,
  AUTH_SERVICE_URL: upstream,
  DATA_API_URL: upstream,
  WEBHOOK_API_URL: upstream,
  TRUSTED_PROXIES: commaList.pipe(z.array(cidr)).prefault(''),
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
    http: { port: read.PORT, internalPort: read.INTERNAL_PORT, host: read.HOST },
    upstreams: {
      auth: read.AUTH_SERVICE_URL,
      data: read.DATA_API_URL,
      webhooks: read.WEBHOOK_API_URL,
    },
    trustedProxies: read.TRUSTED_PROXIES,
    bodyLimitBytes: read.GATEWAY_BODY_LIMIT_BYTES,
    upstreamTimeoutMs: read.GATEWAY_UPSTREAM_TIMEOUT,
  })
}
