import { type ApiServerOptions, openApiServer } from '@surehook/service-kit/http/api-server'
import { openInternalServer } from '@surehook/service-kit/http/internal-server'
import {
  clientAddress,
  clientNetwork,
  forwardedClient,
} from '@surehook/service-kit/http/request/client-address'
import { transportSecurity } from '@surehook/service-kit/http/security-headers'
import type { Service } from '@surehook/service-kit/lifecycle'
import { createMetrics } from '@surehook/service-kit/telemetry/metrics'
import { openTracing } from '@surehook/service-kit/telemetry/tracing/open-tracing'
import type { Logger } from 'pino'
import { type Config, service } from './config.ts'
import { type ForwarderOptions, openForwarder } from './forwarding/forwarder.ts'
import { mountLocalRoutes } from './local-routes.ts'
import { dispatch } from './routing/dispatch.ts'
import { upstreamChecks } from './upstream-checks.ts'

export type Gateway = Service & { readonly port: number }

/** How much and how long clients are waited for, where that is not what it always is. */
export type GatewayLimits = Pick<ForwarderOptions, 'spool' | 'maxUnreadMs'> &
  Pick<ApiServerOptions, 'patience'>

/** The only file that constructs things. Resources close in the reverse of the order they open. */
export async function compose(
  config: Config,
  log: Logger,
  limits: GatewayLimits = {},
): Promise<Gateway> {
  await using opening = new AsyncDisposableStack()
  const { trustedProxies } = config
  const { port, internalPort, host } = config.http
  const tracer = opening.use(await openTracing(config.tracing, log))
  const metrics = createMetrics(service)
  const checks = upstreamChecks(config.upstreams)

  opening.use(await openInternalServer({ port: internalPort, host, metrics, log, checks }))
  const forwarder = opening.use(openForwarder({ ...config, ...limits }))
  const server = opening.use(
    await openApiServer({
      port,
      host,
      log,
      metrics,
      headers: transportSecurity(config.publicUrl),
      tracer,
      patience: limits.patience,
      clientOf: (req) => clientNetwork(forwardedClient(req, trustedProxies).client),
      clientOfAddress: (address) =>
        clientAddress(address, undefined, trustedProxies).trusted ? null : clientNetwork(address),
      first: dispatch(forwarder),
      routes: (router) => mountLocalRoutes(router, checks),
    }),
  )

  const resources = opening.move()
  return {
    port: server.port,
    start: async () => {},
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}
