import { createHash } from 'node:crypto'
import { repoRoot, state } from '../lib/paths.ts'

/** Written when the volumes of `npm start` are made: from then on the data of the checkout is there. */
export const containersFile = `${state.containersDir}/ports.json`

/** Compose's name for what belongs to `npm start` of this checkout, and to no other one of the same name. */
export function startProject(): string {
  return `surehook-start-${createHash('sha256').update(repoRoot).digest('hex').slice(0, 8)}`
}
