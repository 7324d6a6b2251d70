import type { WindowedMessage } from '@surehook/kafka/windowed/windowed-consumer'

const runHeader = 'surehook-paused-run'
const unpublishedHeader = 'surehook-paused-untold'

export type PausedMark = {
  /** The run of its subscription that it continues; 0 if it was paused for the first time. */
  run: number
  /** True if its status `paused` was published; false if it only waits for a slot. */
  published: boolean
}

/**
 * The headers of a job's record on the paused topic. Versions that do not know them ignore them.
 */
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
