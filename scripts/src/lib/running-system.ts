import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { commaList } from '@surehook/service-kit/config/config'
import type { Endpoints } from './endpoints.ts'
import { state } from './paths.ts'

/** The content of `.local/endpoints.json`: the system that `npm start` runs. */
export type RunningSystem = Endpoints & {
  baseUrl: string
  adminToken: string
  /** The delays before the second attempt, the third, and so on, as durations: `1s`. */
  retryDelays: string[]
  /** The delays that have a topic; absent for the default. */
  retryLadder?: string[]
  circuitCooldown: string
  /** The host name under which deliveries reach this machine, if it is not `localhost`. */
  receiverHost?: string
}

/** Returns the running system. Throws an explanation if there is none. */
export async function findRunningSystem(file = endpointsFile()): Promise<RunningSystem> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as RunningSystem
  } catch (err) {
    throw new Error('no running system found: start one with "npm start"', { cause: err })
  }
}

/** Returns the file of `npm start` while it runs, or else that of the system in containers. */
function endpointsFile(): string {
  const inContainers = `${state.composeDir}/endpoints.json`
  const isOther = !existsSync(state.endpointsFile) && existsSync(inContainers)
  return isOther ? inContainers : state.endpointsFile
}

/** Returns the times that the services use, including their defaults. */
export function webhookTimes(
  env: NodeJS.ProcessEnv,
): Pick<RunningSystem, 'retryDelays' | 'retryLadder' | 'circuitCooldown'> {
  const delays = env['WEBHOOK_RETRY_DELAYS'] || '1s,5s,30s,5m'
  const ladder = env['WEBHOOK_RETRY_LADDER']
  return {
    retryDelays: commaList.parse(delays),
    ...(ladder && { retryLadder: commaList.parse(ladder) }),
    circuitCooldown: env['WEBHOOK_CIRCUIT_COOLDOWN'] || '2m',
  }
}
