import type { LogSpan } from '@surehook/kafka/readers/log-reader'

/** Longer than a new leader shows less of the log than the one before. */
const lostAfterMs = 60_000

/** Tells which part of a replay's spans the log shows now. */
export class ShownSpans {
  /** By replay, since when the log ends before all of its spans, and when that was seen last. */
  readonly #short = new Map<string, { since: number; seen: number }>()
  readonly #now: () => number

  constructor(now = () => performance.now()) {
    this.#now = now
  }

  /**
   * Returns the spans, in turn, from one of which the log shows more; null if it shows no more now.
   * Returns none once the log has ended before all of them for `lostAfterMs`, as after an unclean
   * failover.
   * @param ends of the partitions that have a leader
   */
  inTurn(
    replayId: string,
    spans: readonly LogSpan[],
    ends: ReadonlyMap<number, number>,
  ): LogSpan[] | null {
    const first = spans.findIndex(({ partition, from }) => from < (ends.get(partition) ?? 0))
    const isShort = first < 0 && spans.every(({ partition }) => ends.has(partition))
    if (!isShort) this.forget(replayId)
    if (first >= 0) return [...spans.slice(first), ...spans.slice(0, first)]
    return isShort && this.#isOver(replayId, spans) ? [] : null
  }

  forget(replayId: string): void {
    this.#short.delete(replayId)
  }

  #isOver(replayId: string, spans: readonly LogSpan[]): boolean {
    const now = this.#now()
    const known = this.#short.get(replayId)
    // After a long time another replica may have read on.
    const since = known && now - known.seen <= lostAfterMs ? known.since : now
    this.#short.set(replayId, { since, seen: now })
    return spans.length === 0 || now - since >= lostAfterMs
  }
}
