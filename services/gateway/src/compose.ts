import { type Host, ownProcess } from '@surehook/service-kit/host'
import type { ApiServerOptions } from '@surehook/service-kit/http/api-server'
import {
  connectionsPerClient,
  mostConnections,
} from '@surehook/service-kit/http/connection/connection-limits'
import { clientNetwork } from '@surehook/service-kit/http/request/forwarded-node'
import { TrustedProxies } from '@surehook/service-kit/http/request/trusted-proxies'
import { transportSecurity } from '@surehook/service-kit/http/security-headers'
import type { Service } from '@surehook/service-kit/lifecycle'
import { openTracing } from '@surehook/service-kit/telemetry/tracing/open-tracing'
import type { Logger } from 'pino'
import { type Config, service } from './config.ts'
import { builtConsole, readConsole } from './console/console-files.ts'
import { mountConsole } from './console/serve-console.ts'
import { allowOrigins } from './cors/allow-origins.ts'
import { dispatch } from './dispatch.ts'
import { type ForwarderOptions, openForwarder } from './forwarding/forwarder.ts'
import type { UpstreamAddress } from './forwarding/target.ts'
import { mountLocalRoutes } from './local-routes.ts'
import type { Upstream } from './routing/route-of.ts'
import { upstreamChecks } from './upstream-checks.ts'

export type Gateway = Service & { readonly port: number }

/** Limits and places that tests set; the defaults apply otherwise. */
export type GatewayLimits = Pick<ForwarderOptions, 'spool' | 'maxUnreadMs'> &
  Pick<ApiServerOptions, 'patience'> & { consoleDir?: string }

/** The upstream services, which may run in this process. */
export type UpstreamAddresses = { upstreams: Readonly<Record<Upstream, UpstreamAddress>> }

/** Constructs all parts of the process. They close in reverse order. */
export async function compose(
  config: Omit<Config, 'upstreams'> & UpstreamAddresses,
  log: Logger,
  limits: GatewayLimits = {},
  process: Host = ownProcess,
): Promise<Gateway> {
  await using opening = new AsyncDisposableStack()
  const trustedProxies = new TrustedProxies(config.trustedProxies, log)
  const { port, internalPort, host } = config.http
  const tracer = opening.use(await openTracing(config.tracing, log))
  const metrics = process.createMetrics(service)
  const checks = upstreamChecks(config.upstreams)
  const { consoleDir = builtConsole() } = limits
  const pages = readConsole(consoleDir, { testReceiver: config.testReceiver ?? null })
  // Everything else works without it.
  if (pages === null) log.warn({ dir: consoleDir, remedy: 'npm run build' }, 'console.missing')

  opening.use(await process.openInternalServer({ port: internalPort, host, metrics, log, checks }))
  const forwarder = opening.use(openForwarder({ ...config, ...limits, trustedProxies }))
  const server = opening.use(
    await process.openApiServer({
      port,
      host,
      log,
      metrics,
      headers: transportSecurity(config.publicUrl),
      tracer,
      patience: limits.patience,
      clientOf: (req) => clientNetwork(trustedProxies.forwardedFor(req).client),
      clientOfAddress: (address) =>
        trustedProxies.includes(address) ? null : clientNetwork(address),
      connections: { perClient: connectionsPerClient, most: mostConnections() },
      first: allowOrigins(config.allowedOrigins, dispatch(forwarder)),
      routes: (router) => {
        mountLocalRoutes(router, checks)
        mountConsole(router, pages)
      },
    }),
  )

  // The server waits for open answers when it closes.
  opening.defer(() => forwarder.endStreams())

  const resources = opening.move()
  return {
    port: server.port,
    start: async () => {},
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}
