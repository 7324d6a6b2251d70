import type { DeliveryJob } from '@surehook/contracts/events'
import { deliveryId, redeliveryId } from '@surehook/contracts/ids'
import { mismatchOf } from '@surehook/matching/mismatch'
import { planDeliveries } from '@surehook/matching/plan-deliveries'
import type { Change } from '@surehook/matching/read-change'
import { toSubscription } from '@surehook/matching/subscription'
import { type SubscriptionRow, toState } from '../../subscriptions/store/subscription-row.ts'

/** A change, and the offset after it. */
export type LoggedChange = { change: Change; next: number }

export type ReplaySpan = { replayId: string; from: Date; until: Date }

export type BatchLimits = { jobs: number; bytes: number; maxBodyBytes: number }

export type ReplayBatch = {
  jobs: DeliveryJob[]
  /** The number of the table's changes in the span. */
  scanned: number
  /** The offset of the next batch if this one is full; `null` if it holds all changes. */
  next: number | null
}

/**
 * Plans the deliveries of a replay for successive changes. Repetition gives the same deliveries. A
 * body that is too large gives none.
 */
export function planReplay(
  changes: readonly LoggedChange[],
  { subscription, span, now }: { subscription: SubscriptionRow; span: ReplaySpan; now: number },
  limits: BatchLimits,
): ReplayBatch {
  const state = toState(subscription)
  const mismatch = mismatchOf(state)
  const target = toSubscription(state, null)
  const jobs = new Map<string, DeliveryJob>()
  let scanned = 0
  let bytes = 0
  for (const { change, next } of changes) {
    if (!isInSpan(change, span)) continue
    const kept = mismatch(change)
    if (kept === 'tenant' || kept === 'table') continue
    scanned += 1
    if (kept !== null) continue
    for (const { job, tooLarge } of planDeliveries(change.event, [target], { ...limits, now })) {
      if (tooLarge !== null) continue
      const replayed = again(job, { replayId: span.replayId, now })
      jobs.set(replayed.deliveryId, replayed)
      bytes += job.body.length
    }
    if (jobs.size >= limits.jobs || bytes >= limits.bytes) {
      return { jobs: [...jobs.values()], scanned, next }
    }
  }
  return { jobs: [...jobs.values()], scanned, next: null }
}

function isInSpan({ event }: Change, { from, until }: ReplaySpan): boolean {
  const at = Date.parse(event.timestamp)
  return at >= from.getTime() && at < until.getTime()
}

/** Makes a new delivery, independent of any earlier one of the same change. */
function again(
  job: DeliveryJob,
  { replayId, now }: { replayId: string; now: number },
): DeliveryJob {
  const original = deliveryId(job.eventId, job.subscriptionId)
  const id = redeliveryId(original, replayId)
  return { ...job, deliveryId: id, redeliveryOf: original, createdAt: now }
}
