import * as auth from '@surehook/auth-service/config'
import * as data from '@surehook/data-api/config'
import * as gateway from '@surehook/gateway/config'
import * as sources from '@surehook/postgres-source/config'
import { httpEnv, readEnv } from '@surehook/service-kit/config/config'
import * as webhooks from '@surehook/webhook-api/config'
import * as dispatcher from '@surehook/webhook-dispatcher/config'
import * as matcher from '@surehook/webhook-matcher/config'
import * as z from 'zod'
import { environmentOf } from './environments.ts'

export const processName = 'single-process'

const { INTERNAL_PORT, HOST } = httpEnv

/** The variables of the process itself; each service reads its own. */
const Env = z.object({ INTERNAL_PORT, HOST })

/** How long the gateway may take to close before the services behind it do. */
const gatewayGraceMs = 10_000

export type Config = ReturnType<typeof readConfig>

/**
 * Reads the environment; no other code does. A bad value for any service throws before anything
 * opens.
 */
export function readConfig(env: NodeJS.ProcessEnv) {
  const read = readEnv(Env, env)
  const dispatcherConfig = dispatcher.readConfig(environmentOf('webhook-dispatcher', env))
  return Object.freeze({
    internal: { host: read.HOST, port: read.INTERNAL_PORT },
    graceMs: gatewayGraceMs + dispatcherConfig.graceMs,
    services: {
      'auth-service': auth.readConfig(environmentOf('auth-service', env)),
      'data-api': data.readConfig(environmentOf('data-api', env)),
      'postgres-source': sources.readConfig(environmentOf('postgres-source', env)),
      'webhook-api': webhooks.readConfig(environmentOf('webhook-api', env)),
      'webhook-matcher': matcher.readConfig(environmentOf('webhook-matcher', env)),
      'webhook-dispatcher': dispatcherConfig,
      gateway: gateway.readConfig(environmentOf('gateway', env)),
    },
  })
}
