import { type Messaging, type MessagingConfig, openMessaging } from '@surehook/kafka/messaging'
import type { EventCodec } from '@surehook/schemas/codec'
import {
  type CertificateFiles,
  observeCertificates,
} from '@surehook/service-kit/config/certificates'
import { type Host, ownProcess } from '@surehook/service-kit/host'
import type { InternalServer } from '@surehook/service-kit/http/internal-server'
import { retryUntilReady } from '@surehook/service-kit/lifecycle'
import { slotOf } from '@surehook/service-kit/postgres/capture-slot'
import { openPool } from '@surehook/service-kit/postgres/pool'
import type { Metrics } from '@surehook/service-kit/telemetry/metrics'
import { openTracing } from '@surehook/service-kit/telemetry/tracing/open-tracing'
import type { Tracing, TracingConfig } from '@surehook/service-kit/telemetry/tracing/tracer'
import type { Pool } from 'pg'
import type { Logger } from 'pino'
import { toInvalidTopic } from './emit/to-invalid.ts'
import { type CaptureOptions, openRelay, type Relay } from './relay/relay.ts'

export type DatabaseServiceConfig = MessagingConfig & {
  tracing: TracingConfig | null
  certificates: CertificateFiles
  internal: { host: string; port: number }
  databaseUrl: string
}

export type PlatformServiceConfig = DatabaseServiceConfig & { slot: string }

export type DatabaseServiceOptions = {
  service: string
  config: DatabaseServiceConfig
  /** The most connections of requests, and of background work. */
  connections?: { requests?: number; background?: number }
  /** A query that fails until the service's tables exist. */
  probe: string
  log: Logger
  signal: AbortSignal
  host?: Host
}

export type PlatformServiceOptions = DatabaseServiceOptions & {
  config: PlatformServiceConfig
  toRecord: (codec: EventCodec) => CaptureOptions['toRecord']
  /** Service whose states change the meaning of this service's records. */
  statesOf?: string
  /** Captured messages that can never be sent go to the invalid topic of this topic. */
  topic: string
}

export type DatabaseService = AsyncDisposable & {
  readonly tracer: Tracing | undefined
  readonly metrics: Metrics
  readonly internal: InternalServer
  readonly messaging: Messaging
  /** The connections of requests. */
  readonly pool: Pool
  /** The connections of work that no request waits for. Requests cannot take them. */
  readonly background: Pool
  /** Repeats `open` until it succeeds or the process is stopped. */
  wait<T>(dependency: string, open: () => Promise<T>): Promise<T>
}

export type PlatformService = DatabaseService & { readonly relay: Relay }

/**
 * Opens the common parts of a service that serves requests from a database: telemetry, the internal
 * server, Kafka and PostgreSQL. Rejects only when `signal` aborts or the configuration is wrong.
 */
export async function openDatabaseService(
  options: DatabaseServiceOptions,
): Promise<DatabaseService> {
  const { service, config, log, signal, host = ownProcess } = options
  await using opening = new AsyncDisposableStack()
  const tracer = opening.use(await openTracing(config.tracing, log))
  const metrics = host.createMetrics(service)
  observeCertificates(metrics, config.certificates)
  const internal = opening.use(await host.openInternalServer({ ...config.internal, metrics, log }))
  const wait = <T>(name: string, open: () => Promise<T>) =>
    retryUntilReady(name, open, { log, signal })
  const messaging = opening.use(await openMessaging(config, { log, metrics, signal }))
  const { databaseUrl } = config
  const { requests = 10, background: ofBackground = 2 } = options.connections ?? {}
  const openConnections = (max: number): Pool =>
    opening.adopt(
      openPool({ connectionString: databaseUrl, applicationName: service, max, log }),
      (open) => open.end(),
    )
  const [pool, background] = [openConnections(requests), openConnections(ofBackground)]
  await wait('postgres', () => pool.query(options.probe))
  const resources = opening.move()
  return {
    ...{ tracer, metrics, internal, messaging, pool, background, wait },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

/** Opens a service with a database that also relays its captured messages. */
export async function openPlatformService(
  options: PlatformServiceOptions,
): Promise<PlatformService> {
  await using opening = new AsyncDisposableStack()
  const opened = opening.use(await openDatabaseService(options))
  const { service, config, log } = options
  const { tracer, metrics, messaging } = opened
  const { codec, producer } = messaging
  const { databaseUrl, slot } = config
  const toRecord = options.toRecord(codec)
  const toInvalid = toInvalidTopic(codec, { service, topic: options.topic })
  const { statesOf: states } = options
  const statesOf = states === undefined ? undefined : { service: states, slot: slotOf(states) }
  const relay = opening.use(
    openRelay({
      ...{ service, slot, databaseUrl, producer, toRecord, toInvalid, statesOf },
      ...{ log, metrics, tracer },
    }),
  )
  const resources = opening.move()
  return {
    ...opened,
    relay,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}
