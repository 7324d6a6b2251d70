import { readFile } from 'node:fs/promises'
import { commaList } from '@surehook/service-kit/config'
import type { Endpoints } from './endpoints.ts'
import { state } from './paths.ts'

/** What `.local/endpoints.json` tells about the system that `npm start` runs. */
export type RunningSystem = Endpoints & {
  baseUrl: string
  adminToken: string
  /** Before the second attempt, the third, …, as durations: `1s`. */
  retryDelays: string[]
  circuitCooldown: string
}

/** The running system; throws a sentence for the reader when there is none. */
export async function findRunningSystem(file = state.endpointsFile): Promise<RunningSystem> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as RunningSystem
  } catch (err) {
    throw new Error('no running system found: start one with "npm start"', { cause: err })
  }
}

/** What the services take when the environment says nothing. */
export function webhookTimes(
  env: NodeJS.ProcessEnv,
): Pick<RunningSystem, 'retryDelays' | 'circuitCooldown'> {
  const delays = env['WEBHOOK_RETRY_DELAYS'] || '1s,5s,30s,5m'
  return {
    retryDelays: commaList.parse(delays),
    circuitCooldown: env['WEBHOOK_CIRCUIT_COOLDOWN'] || '2m',
  }
}
