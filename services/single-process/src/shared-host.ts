import type { RequestListener } from 'node:http'
import type { Host } from '@surehook/service-kit/host'
import {
  type ApiServer,
  createApi,
  defaultBodyLimitBytes,
  serveApi,
} from '@surehook/service-kit/http/api-server'
import {
  type Check,
  openReadiness,
  type Readiness,
  serveInternally,
} from '@surehook/service-kit/http/internal-server'
import type { Logger } from '@surehook/service-kit/telemetry/log'
import {
  createMetrics,
  createServiceMetrics,
  type Metrics,
} from '@surehook/service-kit/telemetry/metrics'
import { type ServiceName, services } from './environments.ts'
import { mergeMetrics } from './merge-metrics.ts'

export type SharedHost = AsyncDisposable & {
  of(service: ServiceName): Host
  /** Returns the API of an open service. */
  apiOf(service: ServiceName): RequestListener
}

/**
 * Listens for clients (gateway) and for data-api, which fetches keys (auth-service). The gateway
 * calls the other services inside the process.
 */
const listening: ReadonlySet<ServiceName> = new Set(['gateway', 'auth-service'])

const notListening: ApiServer = { port: 0, [Symbol.asyncDispose]: async () => {} }

type Options = {
  name: string
  internal: { host: string; port: number }
  bodyLimitBytes: number
  log: Logger
}

const startup: Readonly<Record<string, Check>> = {
  startup: () => {
    throw new Error('not opened yet')
  },
}

/**
 * Opens one internal server for all services of the process. Its `/metrics` has the metrics of each
 * service, and once those of the process. `/readyz` is ready if all services are ready.
 * `/readyz/<service>` shows one service.
 */
export async function openSharedHost({
  name,
  internal,
  log,
  ...limits
}: Options): Promise<SharedHost> {
  const whole = createMetrics(name)
  const bodyLimitBytes = Math.min(defaultBodyLimitBytes, limits.bodyLimitBytes)
  const apis = new Map<ServiceName, RequestListener>()
  const members = new Map<ServiceName, { metrics: Metrics; readiness: Readiness }>()
  const checksOf = (service: ServiceName) => members.get(service)?.readiness.checks ?? startup
  const server = await serveInternally({
    ...internal,
    log,
    checks: {
      '/readyz': () => named(checksOf),
      ...Object.fromEntries(
        services.map((service) => [`/readyz/${service}`, () => checksOf(service)]),
      ),
    },
    metrics: async () => {
      const registries = [whole, ...[...members.values()].map(({ metrics }) => metrics)]
      return mergeMetrics(await Promise.all(registries.map(({ registry }) => registry.metrics())))
    },
    contentType: whole.registry.contentType,
  })
  return {
    of: (service) => ({
      createMetrics: createServiceMetrics,
      async openInternalServer({ metrics, checks }) {
        const readiness = openReadiness({ metrics, ...(checks && { checks }) })
        members.set(service, { metrics, readiness })
        return {
          port: server.port,
          setChecks: (next) => readiness.setChecks(next),
          [Symbol.asyncDispose]: async () => void members.delete(service),
        }
      },
      async openApiServer(options) {
        const api = createApi({ ...options, bodyLimitBytes })
        apis.set(service, api)
        return listening.has(service) ? serveApi(api, options) : notListening
      },
    }),
    apiOf(service) {
      const api = apis.get(service)
      if (api === undefined) throw new Error(`${service} is not open`)
      return api
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

/** Names each check of each service, such as `data-api.kafka`. */
function named(checksOf: (service: ServiceName) => Readonly<Record<string, Check>>) {
  const entries = services.flatMap((service) =>
    Object.entries(checksOf(service)).map(([check, run]) => [`${service}.${check}`, run] as const),
  )
  return Object.fromEntries(entries)
}
