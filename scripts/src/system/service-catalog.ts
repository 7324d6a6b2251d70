import type { ServiceName } from 'surehook/lib/service-catalog'
import { repoRoot } from '../lib/paths.ts'

export {
  databaseServices,
  type ServiceName,
  serviceNames,
  serviceTraits,
} from 'surehook/lib/service-catalog'
export { newSecrets, type Secrets } from 'surehook/prepare/new-secrets'

/** The process with all services. */
export const singleProcess = 'single-process'

/** A program that runs as a process. */
export type Program = ServiceName | typeof singleProcess

export type Mode = 'separate' | 'single'

/** Returns the mode in `SUREHOOK_MODE`. The default suits a laptop: it takes half of the memory. */
export function modeOf({ SUREHOOK_MODE: mode }: NodeJS.ProcessEnv): Mode {
  if (!mode || mode === 'single') return 'single'
  if (mode === 'separate') return 'separate'
  throw new Error(`SUREHOOK_MODE is "separate" or "single", not "${mode}"`)
}

/** @param root the checkout from which the program starts */
export function entryOf(program: Program, root: string = repoRoot): string {
  return `${root}/services/${program}/dist/main.js`
}
