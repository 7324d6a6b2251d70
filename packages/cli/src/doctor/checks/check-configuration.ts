import { type Finding, findingsOf } from '@surehook/diagnosis/finding'
import { reasonOf } from '@surehook/service-kit/errors'
import type { ServiceName } from '../../lib/service-catalog.ts'
import { loadServiceConfiguration } from '../../lib/service-configuration.ts'
import type { Target } from '../target.ts'

const { ok, wrong, skipped } = findingsOf('configuration')

/**
 * Each process sets its own ports, and an image contains them, so one file for all services cannot.
 */
const ports = { PORT: '8080', INTERNAL_PORT: '9090' }

/** Checks whether each service would start with these variables. */
export async function checkConfiguration({ env, services, isLocal }: Target): Promise<Finding[]> {
  if (services.length === 0) {
    const why = isLocal
      ? '`npm start` has started its services with what they need'
      : '--service says whose variables these are'
    return [skipped(why)]
  }
  const found = await Promise.all(services.map((service) => examine(service, env)))
  return found.flat()
}

async function examine(service: ServiceName, env: NodeJS.ProcessEnv): Promise<Finding[]> {
  const configuration = await loadServiceConfiguration(service)
  if (configuration === null) return [skipped(`${service}: its code is not here`)]
  try {
    configuration.readConfig({ ...ports, ...env })
    return [ok(`${service} would start`)]
  } catch (err) {
    return faultsIn(reasonOf(err)).map((fault) =>
      wrong(`${service}: ${fault}`, adviceOn(fault, env)),
    )
  }
}

function adviceOn(fault: string, env: NodeJS.ProcessEnv): string {
  // The doctor may run on another machine than the one that hashes passwords.
  return fault.startsWith('UV_THREADPOOL_SIZE') && !env['AUTH_HASH_CONCURRENCY']
    ? 'Set it, and AUTH_HASH_CONCURRENCY: without that the cores of each machine count, here those of this one.'
    : 'Set it as docs/reference/configuration.md says.'
}

/** One error lists all faults of a service, one per line. */
export function faultsIn(message: string): string[] {
  const [title = '', ...lines] = message.split('\n')
  return lines.length === 0 ? [title] : lines.map((line) => line.trim())
}
