import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { resolve } from 'node:path'
import { createLogger } from '@surehook/service-kit/telemetry/log'
import { prepareDatabase } from 'surehook/prepare/prepare-database'
import type { Endpoints } from '../lib/endpoints.ts'
import { answersOk } from '../lib/http-probe.ts'
import { type ProcessHandle, startProcess } from '../lib/managed-process.ts'
import { openProcessGroup } from '../lib/process-group.ts'
import { settleAll } from '../lib/settle-all.ts'
import { placeReplicas, type Replica } from './place-replicas.ts'
import {
  entryOf,
  type Mode,
  type Program,
  type Secrets,
  type ServiceName,
  serviceNames,
  singleProcess,
} from './service-catalog.ts'
import { type EnvironmentInput, environmentOf } from './service-environment.ts'
import { type Environments, singleEnvironment } from './single-environment.ts'
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
  /** Each service as a process, or all of them in one. */
  mode?: Mode
  /** Of separate services. */
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
  readonly program: Program
  /** Null without an API that can be reached. */
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
  /** Every replica of every service; in one process all of them are the same. */
  readonly services: Readonly<Record<ServiceName, readonly ServiceHandle[]>>
  stop(): Promise<void>
}

/** Migrates, then starts the built services as processes; all are ready when it resolves. */
export async function startServices(options: SystemOptions): Promise<System> {
  const { endpoints, secrets, env: overrides = {}, log = () => {}, keepAlive = false } = options
  const dir = resolve(options.dir)
  requireBuild(options)
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
    const { replicas, addresses } = await placeReplicas(options)
    const databaseUrls = await prepareDatabase({
      ...endpoints,
      ...secrets,
      root: options.versions?.migrations,
      log: createLogger('migrate', 'warn'),
    })
    const input = { endpoints, secrets, overrides, databaseUrls, addresses }
    const start = async (replica: Replica, place: number) => {
      const env = () => variablesOf(replica, input, options)
      const entry = entryOf(replica.program, options.versions?.ofReplica(replica.id))
      const owner = { group, log }
      handles[place] = await startReplica(replica, { dir, env, entry, keepAlive, owner })
    }
    await settleAll(replicas.map(start))
    return {
      baseUrl: `http://localhost:${addresses.gateway?.api}`,
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

function requireBuild({ mode, versions }: SystemOptions): void {
  const programs: readonly Program[] = mode === 'single' ? [singleProcess] : serviceNames
  const missing = programs.filter((program) => !existsSync(entryOf(program, versions?.migrations)))
  if (missing.length > 0) throw new Error(`not built: ${missing.join(', ')}; run "npm run build"`)
}

/** Asked at each start of a replica. */
function variablesOf(
  { program, id, address }: Replica,
  input: EnvironmentInput,
  options: SystemOptions,
): NodeJS.ProcessEnv {
  const of = (service: ServiceName) => {
    const direct = {
      ...environmentOf(service, address, input),
      ...options.variablesOf?.(service),
    }
    return options.ways === undefined ? direct : onWays(direct, options.ways(id))
  }
  if (program !== singleProcess) return of(program)
  const environments = Object.fromEntries(serviceNames.map((service) => [service, of(service)]))
  return singleEnvironment(environments as Environments)
}

/**
 * Flags of V8, as in the image. Without the first, V8 keeps up to 128 MiB for young objects. The second
 * lets an idle service collect its garbage. The third compiles a function at its first call: a calm service
 * runs few functions often enough for the optimising compilers (10 % of the CPU at 100 changes/s).
 */
const runtimeFlags = ['--max-semi-space-size=16', '--expose-gc', '--always-sparkplug']

type ReplicaOptions = {
  dir: string
  env: () => NodeJS.ProcessEnv
  entry: string
  keepAlive: boolean
  owner: Parameters<typeof startProcess>[1]
}

async function startReplica(
  { program, id, address }: Replica,
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
      args: ['--enable-source-maps', ...runtimeFlags, entry, marker],
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
  return Object.assign(handle, { program, apiUrl, internalUrl, logFile })
}

function byService(handles: readonly ServiceHandle[]): Record<ServiceName, ServiceHandle[]> {
  const grouped = (service: ServiceName) =>
    handles.filter(({ program }) => program === service || program === singleProcess)
  return Object.fromEntries(serviceNames.map((service) => [service, grouped(service)])) as Record<
    ServiceName,
    ServiceHandle[]
  >
}
