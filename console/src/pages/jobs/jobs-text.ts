import type { HistoryRebuild } from '@surehook/client'
import { count, plural } from '../../parts/data/numbers.ts'

const counted = 1_000

/** Dead letters are counted up to a limit. */
export function leftText(left: number | null): string {
  if (left === null) return 'unknown'
  return left >= counted ? `at least ${count(left)}` : count(left)
}

/** Between 0 and 1; undefined while nobody knows how much there is to read. */
export function rebuiltShare({ state, read, toRead }: HistoryRebuild): number | undefined {
  if (state === 'done') return 1
  return toRead === 0 ? undefined : Math.min(1, read / toRead)
}

export function rebuildText({ state, read, toRead }: HistoryRebuild): string {
  if (state === 'done') return `Rebuilt from ${plural(read, 'record')}.`
  if (toRead === 0) return 'It begins: the history is being emptied.'
  return `${count(read)} of ${plural(toRead, 'record')} read.`
}
