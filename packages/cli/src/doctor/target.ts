import { readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { reasonOf } from '@surehook/service-kit/errors'
import { Failure, type Io, UsageError } from '../cli/command.ts'
import { checkedUrl } from '../lib/platform-client.ts'
import { findRunningSystem, type RunningSystem } from '../lib/running-system.ts'
import { type ServiceName, serviceNames } from '../lib/service-catalog.ts'

/** The system to examine. */
export type Target = {
  /** Variables with the addresses of its parts. */
  readonly env: NodeJS.ProcessEnv
  /** Services whose variables are complete in `env`. */
  readonly services: readonly ServiceName[]
  /** URL of the gateway, or `null` if unknown. */
  readonly baseUrl: string | null
  /** True if the system runs from this checkout, with its state in `.local`. */
  readonly isLocal: boolean
  readonly io: Pick<Io, 'note' | 'env' | 'signal' | 'now'>
}

type Options = {
  'env-file': string | undefined
  url: string | undefined
  service: readonly string[]
}

const systemVariables = ['KAFKA_BROKERS', 'DATABASE_URL', 'REDIS_URL', 'SCHEMA_REGISTRY_URL']

/**
 * Finds the system to examine: from the file, else from the environment, else the one running from
 * this checkout.
 */
export function findTarget(
  options: Options,
  io: Target['io'],
  running: () => RunningSystem | null = findRunningSystem,
): Target {
  const file = options['env-file']
  const env = file === undefined ? io.env : { ...io.env, ...readEnvFile(file) }
  const url = options.url ?? (env['SUREHOOK_URL'] || undefined)
  const baseUrl = url === undefined ? null : checkedUrl(url)
  if (file !== undefined || systemVariables.some((name) => env[name])) {
    return { env, services: servicesOf(options), baseUrl, isLocal: false, io }
  }
  const system = running()
  if (system === null) {
    throw new Failure(
      'nothing to check: start a system with "npm start", set the variables of the services, or ' +
        'name a file of them with --env-file',
    )
  }
  const known = { ...env, ...variablesOf(system) }
  return {
    env: known,
    services: [],
    baseUrl: baseUrl ?? system.baseUrl,
    isLocal: true,
    io,
  }
}

/**
 * A file applies to all services. The variables of a process belong only to the services that
 * `--service` names.
 */
function servicesOf({ service, 'env-file': file }: Options): ServiceName[] {
  const unknown = service.find((name) => !serviceNames.some((known) => known === name))
  if (unknown !== undefined) {
    throw new UsageError(`--service: one of ${serviceNames.join(', ')}, not "${unknown}"`)
  }
  if (service.length === 0) return file === undefined ? [] : [...serviceNames]
  return serviceNames.filter((name) => service.includes(name))
}

function variablesOf(system: RunningSystem): NodeJS.ProcessEnv {
  return {
    KAFKA_BROKERS: system.kafkaBrokers,
    SCHEMA_REGISTRY_URL: system.schemaRegistryUrl,
    DATABASE_URL: system.databaseUrl,
    REDIS_URL: system.redisUrl,
    WEBHOOK_RETRY_DELAYS: system.retryDelays.join(','),
    WEBHOOK_RETRY_LADDER: system.retryLadder?.join(','),
  }
}

function readEnvFile(file: string): NodeJS.Dict<string> {
  try {
    return parseEnv(readFileSync(file, 'utf8'))
  } catch (err) {
    throw new Failure(`--env-file: ${reasonOf(err)}`)
  }
}
