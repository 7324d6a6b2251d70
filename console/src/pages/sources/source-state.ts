import type { Source } from '@surehook/client'
import { byteSize } from '@surehook/contracts/byte-size'
import type { Tone } from '../../parts/data/status-badge.tsx'

export const sourceTones: Record<Source['state'], Tone> = {
  pending: 'info',
  unreachable: 'bad',
  unprepared: 'warn',
  capturing: 'good',
  stalled: 'bad',
}

/** The WAL that the database keeps, beside what it may keep. */
export function keptWal({ retainedBytes, walBudget }: Source): string {
  if (retainedBytes === null) return `unknown, of ${byteSize(walBudget)}`
  return `${byteSize(retainedBytes)} of ${byteSize(walBudget)}`
}

/** Every statement that is still to be run, in order. */
export const missingSql = ({ findings }: Source): string =>
  findings.flatMap(({ sql }) => sql).join('\n')
