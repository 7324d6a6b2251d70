import { type Logger, pino } from 'pino'
import { compose, type GatewayLimits } from '../src/compose.ts'
import { readConfig } from '../src/config.ts'
import { startUpstream, type Upstream } from './upstream.ts'

export type Stand = AsyncDisposable & {
  readonly port: number
  readonly url: string
  readonly auth: Upstream
  readonly data: Upstream
  readonly sources: Upstream
  readonly webhooks: Upstream
}

/** Starts the gateway in front of test upstreams. */
export async function startStand(
  env: Record<string, string> = {},
  log: Logger = pino({ level: 'silent' }),
  limits: GatewayLimits = {},
): Promise<Stand> {
  await using opening = new AsyncDisposableStack()
  const [auth, data, sources, webhooks] = await Promise.all(
    ['auth', 'data', 'sources', 'webhooks'].map(async (name) =>
      opening.use(await startUpstream(name)),
    ),
  )
  if (!auth || !data || !sources || !webhooks) throw new Error('an upstream is missing')
  const config = readConfig({
    PORT: '0',
    INTERNAL_PORT: '0',
    AUTH_SERVICE_URL: auth.url,
    DATA_API_URL: data.url,
    POSTGRES_SOURCE_URL: sources.url,
    WEBHOOK_API_URL: webhooks.url,
    ...env,
  })
  const gateway = opening.use(await compose(config, log, limits))
  const resources = opening.move()
  return {
    port: gateway.port,
    url: `http://127.0.0.1:${gateway.port}`,
    auth,
    data,
    sources,
    webhooks,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}
