import { existsSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { surehookRoot } from './root.ts'
import type { ServiceName } from './service-catalog.ts'

/** What a service's `config.ts` exports. */
export type ServiceConfiguration = {
  /** Throws an error that names every fault on a line of its own. */
  readConfig(env: NodeJS.ProcessEnv): unknown
  Env: unknown
}

/**
 * A service's own reader of its variables, as a file beside this one and not as a dependency: what it says is what the
 * process would say at its start. Null where the service's code is not at hand.
 */
export async function loadServiceConfiguration(
  service: ServiceName,
  root = surehookRoot,
): Promise<ServiceConfiguration | null> {
  const [folder, extension] = import.meta.url.endsWith('.ts') ? ['src', 'ts'] : ['dist', 'js']
  const file = `${root}/services/${service}/${folder}/config.${extension}`
  if (!existsSync(file)) return null
  return (await import(pathToFileURL(file).href)) as ServiceConfiguration
}
