import { reasonOf } from '@surehook/service-kit/errors'
import type { ServiceName } from '../lib/service-catalog.ts'
import { loadServiceConfiguration } from '../lib/service-configuration.ts'
import { type Finding, findingsOf } from './finding.ts'
import type { Target } from './target.ts'

const { ok, wrong, skipped } = findingsOf('configuration')

/** Whether each service would start with these variables. */
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
    configuration.readConfig(perService(service, env))
    return [ok(`${service} would start`)]
  } catch (err) {
    return faultsIn(reasonOf(err)).map((fault) =>
      wrong(`${service}: ${fault}`, 'Set it as docs/operations/configuration.md says.'),
    )
  }
}

/** What only the process knows: its ports. Those of an image are in the image. */
function perService(service: ServiceName, env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const ports = { PORT: '8080', INTERNAL_PORT: '9090' }
  const threads = service === 'auth-service' ? { UV_THREADPOOL_SIZE: '1024' } : {}
  return { ...ports, ...threads, ...env }
}

/** One error holds all faults of a service, a line each. */
export function faultsIn(message: string): string[] {
  const [title = '', ...lines] = message.split('\n')
  return lines.length === 0 ? [title] : lines.map((line) => line.trim())
}
