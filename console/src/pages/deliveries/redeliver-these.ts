import type { DeliveryQuery, FoundDelivery } from '@surehook/client'
import type { RowCount } from '../../api/use-count.ts'
import { count, plural } from '../../parts/data/numbers.ts'
import { queryOf } from './list/filters.ts'

/** One run sends at most so many. */
export const most = 1_000

/** The outcome of one run. */
export type Outcome = {
  sent: number
  /** The error that ended the run. */
  refusal: unknown
  /** More deliveries match than one run sends. */
  isMore: boolean
}

/** Everything that matches the filters of the URL until now: what the run makes is left out. */
export function searchOf(params: URLSearchParams, now: Date): DeliveryQuery {
  const { cursor: _page, ...query } = queryOf(params, now)
  return { ...query, until: now.toISOString() }
}

type Run = {
  found: AsyncIterable<FoundDelivery>
  redeliver: (delivery: FoundDelivery) => Promise<unknown>
  onSent: (sent: number) => void
  signal: AbortSignal
}

/** Sends one after the other, and stops at the first refusal. */
export async function redeliverThese({ found, redeliver, onSent, signal }: Run): Promise<Outcome> {
  let sent = 0
  try {
    for await (const delivery of found) {
      if (signal.aborted) break
      if (sent === most) return { sent, refusal: null, isMore: true }
      await redeliver(delivery)
      sent += 1
      onSent(sent)
    }
  } catch (err) {
    if (!signal.aborted) return { sent, refusal: err, isMore: false }
  }
  return { sent, refusal: null, isMore: false }
}

/** What the dialog asks. */
export function questionText({ found, isMore }: RowCount): string {
  if (found === 0 && !isMore) return 'No delivery matches these filters any more.'
  const what = `${isMore ? 'At least ' : ''}${plural(found, 'delivery matches', 'deliveries match')}.`
  return isMore
    ? `${what} This sends at most ${count(most)} of them.`
    : `${what} This sends them all.`
}

/** Such as `3 of 40 sent`. Without a whole count, the limit of one run is all that is known. */
export function progressText(sent: number, counted: RowCount | undefined): string {
  const isKnown = counted !== undefined && (!counted.isMore || counted.found >= most)
  return `${count(sent)} of ${isKnown ? count(counted.found) : `at most ${count(most)}`} sent`
}

export function outcomeText({ sent, refusal, isMore }: Outcome): string {
  if (refusal !== null) {
    return `Surehook refused after ${plural(sent, 'delivery was', 'deliveries were')} sent.`
  }
  const what = `${plural(sent, 'delivery was', 'deliveries were')} sent again.`
  return isMore ? `${what} More match: narrow the filters to send the others.` : what
}
