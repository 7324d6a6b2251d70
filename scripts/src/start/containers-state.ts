import { createHash } from 'node:crypto'
import { repoRoot, state } from '../lib/paths.ts'

/** Written when the volumes of `npm start` are made. From then on they hold the checkout's data. */
export const containersFile = `${state.containersDir}/ports.json`

/** Compose's project name for `npm start`, unique to this checkout. */
export function startProject(): string {
  return `surehook-start-${createHash('sha256').update(repoRoot).digest('hex').slice(0, 8)}`
}
