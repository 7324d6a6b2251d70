import type { Replay } from '@surehook/client'
import { plural } from '../../parts/data/numbers.ts'

export const isRunning = ({ state }: Pick<Replay, 'state'>): boolean => state === 'running'

const titles: Record<Replay['state'], string> = {
  running: 'The replay runs',
  done: 'The replay is done',
  cancelled: 'The replay was cancelled',
}

export const titleOf = ({ state }: Pick<Replay, 'state'>): string => titles[state]

/** How far a replay is. Nobody knows the number of changes before all of them are read. */
export const progressText = ({ scanned, deliveries }: Pick<Replay, 'scanned' | 'deliveries'>) =>
  `${plural(scanned, 'change')} read, ${plural(deliveries, 'delivery', 'deliveries')} made.`
