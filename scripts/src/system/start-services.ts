import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { resolve } from 'node:path'
import { createLogger } from '@surehook/service-kit/telemetry/log'
import { prepareDatabase } from 'surehook/prepare/prepare-database'
import type { Endpoints } from '../lib/endpoints.ts'
import { answersOk } from '../lib/http-probe.ts'
import { type ProcessHandle, startProcess } from '../lib/managed-process.ts'
import { freePort } from '../lib/ports.ts'
import { openProcessGroup } from '../lib/process-group.ts'
import { settleAll } from '../lib/settle-all.ts'
import {
  entryOf,
  type Secrets,
  type ServiceName,
  serviceNames,
  serviceTraits,
} from './service-catalog.ts'
import { type Address, environmentOf } from './service-environment.ts'
import { onWays, type Ways } from './ways.ts'

export type SystemOptions = {
  /** Pids and logs (`<dir>/<service>.log`); one running system per directory. */
  dir: string
  endpoints: Endpoints
  secrets: Secrets
  /** Variables for every service; the ports, URLs and secrets of this system win. */
  env?: NodeJS.ProcessEnv
  /** The gateway's port; any free one by default. */
  port?: number
  replicas?: Partial<Record<ServiceName, number>>
  /** Start a service again when it dies by itself. Off for tests, which kill on purpose. */
  keepAlive?: boolean
  /** Variables of one service, which win over all others; asked at each of its starts. */
  variablesOf?: (service: ServiceName) => NodeJS.ProcessEnv
  /** The ports by which a replica (`data-api`, `data-api-2`, …) reaches components, if not their own. */
  ways?: (replica: string) => Ways
  /** The checkout whose migrations run, and from which each replica starts, each time anew: this one by default. */
  versions?: { migrations: string; ofReplica: (replica: string) => string }
  log?: (line: string) => void
}

export type ServiceHandle = ProcessHandle & {
  readonly service: ServiceName
  /** Null for a service without an API. */
  readonly apiUrl: string | null
  /** `/metrics`, `/healthz`, `/readyz`. */
  readonly internalUrl: string
  readonly logFile: string
}

export type System = {
  readonly baseUrl: string
  readonly adminToken: string
  /** The credential of services, for introspection. */
  readonly serviceToken: string
  /** Every replica of every service. */
  readonly services: Readonly<Record<ServiceName, readonly ServiceHandle[]>>
  stop(): Promise<void>
}

type Replica = { service: ServiceName; id: string; address: Address }

/** Migrates, then starts the built services as processes; all are ready when it resolves. */
export async function startServices(options: SystemOptions): Promise<System> {
  const { endpoints, secrets, env: overrides = {}, log = () => {}, keepAlive = false } = options
  const dir = resolve(options.dir)
  requireBuild(options.versions?.migrations)
  await mkdir(dir, { recursive: true })
  const group = await openProcessGroup(dir)
  /** By place, not by readiness: the gateway knows the first replica of each service. */
  const handles: (ServiceHandle | undefined)[] = []
  const started = () => handles.filter((handle) => handle !== undefined)
  const stop = async () => {
    await Promise.all(started().map((handle) => handle.stop()))
    await group.close()
  }
  try {
    const replicas = await placeReplicas(options)
    const addresses = Object.fromEntries(
      replicas.toReversed().map(({ service, address }) => [service, address]),
    )
    const databaseUrls = await prepareDatabase({
      ...endpoints,
      ...secrets,
      root: options.versions?.migrations,
      log: createLogger('migrate', 'warn'),
    })
    const input = { endpoints, secrets, overrides, databaseUrls, addresses }
    const start = async (replica: Replica, place: number) => {
      const fixed = environmentOf(replica.service, replica.address, input)
      const env = () => {
        const direct = { ...fixed, ...options.variablesOf?.(replica.service) }
        return options.ways === undefined ? direct : onWays(direct, options.ways(replica.id))
      }
      const entry = entryOf(replica.service, options.versions?.ofReplica(replica.id))
      const owner = { group, log }
      handles[place] = await startReplica(replica, { dir, env, entry, keepAlive, owner })
    }
    await settleAll(replicas.map(start))
    return {
      baseUrl: `http://localhost:${addresses['gateway']?.api}`,
      adminToken: secrets.adminToken,
      serviceToken: secrets.serviceToken,
      services: byService(started()),
      stop,
    }
  } catch (err) {
    await stop()
    throw err
  }
}

function requireBuild(root: string | undefined): void {
  const missing = serviceNames.filter((service) => !existsSync(entryOf(service, root)))
  if (missing.length > 0) throw new Error(`not built: ${missing.join(', ')}; run "npm run build"`)
}

async function placeReplicas({ replicas, port }: SystemOptions): Promise<Replica[]> {
  const wanted = serviceNames.flatMap((service) =>
    Array.from({ length: replicas?.[service] ?? 1 }, (_, index) => ({ service, index })),
  )
  return Promise.all(
    wanted.map(async ({ service, index }) => {
      const asked = service === 'gateway' && index === 0 ? port : undefined
      const api = serviceTraits[service].api ? (asked ?? (await freePort())) : null
      const id = index === 0 ? service : `${service}-${index + 1}`
      return { service, id, address: { api, internal: await freePort() } }
    }),
  )
}

/**
 * What is young lives in spaces that V8 lets grow to 128 MiB on a large machine and does not give back: most of what a
 * busy service held. An idle service collects its garbage itself.
 */
const memoryFlags = ['--max-semi-space-size=16', '--expose-gc']

type ReplicaOptions = {
  dir: string
  env: () => NodeJS.ProcessEnv
  entry: string
  keepAlive: boolean
  owner: Parameters<typeof startProcess>[1]
}

async function startReplica(
  { service, id, address }: Replica,
  { dir, env, entry, keepAlive, owner }: ReplicaOptions,
): Promise<ServiceHandle> {
  const internalUrl = `http://127.0.0.1:${address.internal}`
  const logFile = `${dir}/${id}.log`
  // The services take no arguments: this one tells this process from that of another system.
  const marker = `${dir}/${id}`
  const handle = await startProcess(
    {
      name: id,
      command: process.execPath,
      args: ['--enable-source-maps', ...memoryFlags, entry, marker],
      get env() {
        return env()
      },
      marker,
      logFile,
      stopSignal: 'SIGTERM',
      isReady: () => answersOk(`${internalUrl}/readyz`),
      readyTimeoutMs: 120_000,
      keepAlive,
    },
    owner,
  )
  const apiUrl = address.api === null ? null : `http://127.0.0.1:${address.api}`
  return Object.assign(handle, { service, apiUrl, internalUrl, logFile })
}

function byService(handles: readonly ServiceHandle[]): Record<ServiceName, ServiceHandle[]> {
  const grouped = (service: ServiceName) => handles.filter((handle) => handle.service === service)
  return Object.fromEntries(serviceNames.map((service) => [service, grouped(service)])) as Record<
    ServiceName,
    ServiceHandle[]
  >
}
