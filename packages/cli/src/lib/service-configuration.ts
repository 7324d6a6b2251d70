import { existsSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { surehookRoot } from './root.ts'
import type { ServiceName } from './service-catalog.ts'

/** Exports of a service's `config.ts`. */
export type ServiceConfiguration = {
  /** Throws an error that lists every fault on its own line. */
  readConfig(env: NodeJS.ProcessEnv): unknown
  Env: unknown
}

/**
 * Loads a service's own reader of its variables. It loads a file instead of a dependency, so that
 * the faults are the ones that the process would report at its start. Resolves with `null` if the
 * service's code is not installed.
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
