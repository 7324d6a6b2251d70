import type { WindowedMessage } from '@surehook/kafka/windowed/windowed-consumer'
import { recordGroups } from './record-groups.ts'

const runHeader = 'surehook-paused-run'
const unpublishedHeader = 'surehook-paused-untold'
const groupHeader = 'surehook-paused-group'

export type PausedMark = {
  /** The run of its queue that it continues; 0 if it was paused for the first time. */
  run: number
  /** True if its status `paused` was published; false if it only waits for a slot. */
  published: boolean
  /**
   * The group of its record, in whose order it is sent; null if its subscription was not ordered.
   */
  group: number | null
}

/** Returns the headers of a job's record on the paused topic. */
export function pausedHeaders({ run, published, group }: PausedMark): Record<string, string> {
  return {
    ...(run > 0 && { [runHeader]: String(run) }),
    ...(!published && { [unpublishedHeader]: '1' }),
    ...(group !== null && { [groupHeader]: String(group) }),
  }
}

export function pausedMark({ headers }: Pick<WindowedMessage, 'headers'>): PausedMark {
  const run = Number(String(headers?.[runHeader] ?? 0))
  const group = Number(String(headers?.[groupHeader] ?? -1))
  return {
    run: Number.isSafeInteger(run) && run > 0 ? run : 0,
    published: headers?.[unpublishedHeader] === undefined,
    group: Number.isInteger(group) && group >= 0 && group < recordGroups ? group : null,
  }
}
