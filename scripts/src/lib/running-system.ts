import { readFile } from 'node:fs/promises'
import type { Endpoints } from './endpoints.ts'
import { state } from './paths.ts'

/** What `.local/endpoints.json` tells about the system that `npm start` runs. */
export type RunningSystem = Endpoints & { baseUrl: string; adminToken: string }

/** The running system; throws a sentence for the reader when there is none. */
export async function findRunningSystem(): Promise<RunningSystem> {
  try {
    return JSON.parse(await readFile(state.endpointsFile, 'utf8')) as RunningSystem
  } catch (err) {
    throw new Error('no running system found: start one with "npm start"', { cause: err })
  }
}
