import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { createLogger } from '@surehook/service-kit/telemetry/log'
import { databaseUrlsOf, prepareDatabase } from 'surehook/prepare/prepare-database'
import type { Endpoints } from '../lib/endpoints.ts'
import { answersOk } from '../lib/http-probe.ts'
import { repoRoot } from '../lib/paths.ts'
import { describeProcess, type ProcessHandle } from '../lib/processes/managed-process.ts'
import { openProcessGroup } from '../lib/processes/process-group.ts'
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
  /**
   * The directory of pids and logs (`<dir>/<service>.log`). Each directory has at most one running
   * system.
   */
  dir: string
  endpoints: Endpoints
  secrets: Secrets
  /** Variables for every service. The ports, URLs and secrets of this system take precedence. */
  env?: NodeJS.ProcessEnv
  /** The gateway's port. The default is any free one. */
  port?: number
  /** The address on which services listen. The default is 127.0.0.1. */
  host?: string | undefined
  /** Runs each service as a process (the default), or all in one. */
  mode?: Mode
  /** Applies only to separate services. */
  replicas?: Partial<Record<ServiceName, number>>
  /** Restarts a service that ends by itself. Off for tests, which kill services on purpose. */
  keepAlive?: boolean
  /**
   * Variables of one service, which take precedence over all others. Called at each of its starts.
   */
  variablesOf?: (service: ServiceName) => NodeJS.ProcessEnv
  /**
   * The ports through which a replica (`data-api`, `data-api-2`, …) reaches components, if not
   * their own.
   */
  ways?: (replica: string) => Ways
  /** Other versions than this checkout. */
  versions?: Versions
  log?: (line: string) => void
}

export type Versions = {
  /** Runs `surehook prepare database`, with the variables. */
  prepareDatabase(env: NodeJS.ProcessEnv): Promise<void>
  /**
   * The checkout of a replica, looked up at each start. A replica whose checkout lacks the service
   * does not run before its first `restart`.
   */
  ofReplica(replica: string): string
}

export type ServiceHandle = ProcessHandle & {
  readonly program: Program
  /** `null` if the service has no API. */
  readonly apiUrl: string | null
  /** `/metrics`, `/healthz`, `/readyz`. */
  readonly internalUrl: string
  readonly logFile: string
}

export type System = {
  readonly baseUrl: string
  readonly adminToken: string
  /** The token with which services authenticate for introspection. */
  readonly serviceToken: string
  /** Every replica of every service. In single-process mode all of them are the same process. */
  readonly services: Readonly<Record<ServiceName, readonly ServiceHandle[]>>
  stop(): Promise<void>
}

/**
 * Runs the migrations, then starts the built services as processes. All are ready when it resolves.
 */
export async function startServices(options: SystemOptions): Promise<System> {
  const { endpoints, secrets, env: overrides = {}, log = () => {}, keepAlive = false } = options
  const dir = resolve(options.dir)
  requireBuild(options)
  await mkdir(dir, { recursive: true })
  const group = await openProcessGroup(dir)
  /**
   * In order of place and not of readiness, because the gateway knows the first replica of each
   * service.
   */
  const handles: (ServiceHandle | undefined)[] = []
  const started = () => handles.filter((handle) => handle !== undefined)
  const stop = async () => {
    await Promise.all(started().map((handle) => handle.stop()))
    await group.close()
  }
  try {
    const { replicas, addresses } = await placeReplicas(options)
    const databaseUrls = await databaseFor(options)
    const { host } = options
    const input = { endpoints, secrets, overrides, databaseUrls, addresses, host }
    const start = async (replica: Replica, place: number) => {
      const env = () => variablesOf(replica, input, options)
      const entry = entryOf(replica.program, options.versions?.ofReplica(replica.id))
      const owner = { group, log }
      const handle = describeReplica(replica, { dir, env, entry, keepAlive, owner })
      if (existsSync(entry)) await handle.restart()
      handles[place] = handle
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

async function databaseFor({ endpoints, secrets, versions }: SystemOptions) {
  const options = { ...endpoints, ...secrets, log: createLogger('migrate', 'warn') }
  if (versions === undefined) return prepareDatabase(options)
  const { databaseUrl, keyEncryptionKey } = options
  await versions.prepareDatabase({
    DATABASE_URL: databaseUrl,
    KEY_ENCRYPTION_KEY: keyEncryptionKey,
  })
  return databaseUrlsOf(options)
}

function requireBuild({ mode, versions }: SystemOptions): void {
  if (versions !== undefined) return
  const programs: readonly Program[] = mode === 'single' ? [singleProcess] : serviceNames
  const missing = programs.filter((program) => !existsSync(entryOf(program)))
  if (missing.length > 0) throw new Error(`not built: ${missing.join(', ')}; run "npm run build"`)
}

/** Computed at each start of a replica. */
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

const sourceMaps = `${repoRoot}/libs/service-kit/dist/telemetry/source-maps.js`
/**
 * Flags as in the image. The first makes stack traces name lines of TypeScript. Without the
 * second flag, V8 keeps up to 128 MiB for young objects. The third lets an idle service collect its
 * garbage. The last compiles a function at its first call: a calm service runs few functions often
 * enough for the optimising compilers (10 % of the CPU at 100 changes/s).
 */
const runtimeFlags = [
  `--import=${pathToFileURL(sourceMaps).href}`,
  '--max-semi-space-size=16',
  '--expose-gc',
  '--always-sparkplug',
]

type ReplicaOptions = {
  dir: string
  env: () => NodeJS.ProcessEnv
  entry: string
  keepAlive: boolean
  owner: Parameters<typeof describeProcess>[1]
}

function describeReplica(
  { program, id, address }: Replica,
  { dir, env, entry, keepAlive, owner }: ReplicaOptions,
): ServiceHandle {
  const internalUrl = `http://127.0.0.1:${address.internal}`
  const logFile = `${dir}/${id}.log`
  // Services ignore arguments. This one identifies the process among those of other systems.
  const marker = `${dir}/${id}`
  const handle = describeProcess(
    {
      name: id,
      command: process.execPath,
      args: [...runtimeFlags, entry, marker],
      get env() {
        return env()
      },
      marker,
      logFile,
      stopSignal: 'SIGTERM',
      isReady: () => answersOk(`${internalUrl}/readyz`),
      readyTimeoutMs: 300_000,
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
