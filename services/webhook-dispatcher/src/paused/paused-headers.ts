import type { WindowedMessage } from '@surehook/kafka/windowed/windowed-consumer'

const runHeader = 'surehook-paused-run'
const unpublishedHeader = 'surehook-paused-untold'

export type PausedMark = {
  /** Which run of its subscription it continues; 0: that of what is paused for the first time. */
  run: number
  /** Whether its status `paused` was published; false while it only waits for a slot. */
  published: boolean
}

/** What a job's record on the paused topic says beside the job. A version that does not know it leaves it out. */
export function pausedHeaders({ run, published }: PausedMark): Record<string, string> {
  return {
    ...(run > 0 && { [runHeader]: String(run) }),
    ...(!published && { [unpublishedHeader]: '1' }),
  }
}

export function pausedMark({ headers }: Pick<WindowedMessage, 'headers'>): PausedMark {
  const run = Number(String(headers?.[runHeader] ?? 0))
  return {
    run: Number.isSafeInteger(run) && run > 0 ? run : 0,
    published: headers?.[unpublishedHeader] === undefined,
  }
}
