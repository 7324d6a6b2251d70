import { type DeliveryAttempt, deliveryStatuses } from '@surehook/contracts/events'
import type { DeliveryJobHead } from '@surehook/schemas/codec'

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
const statuses: ReadonlySet<string> = new Set(deliveryStatuses)
const firstTime = Date.UTC(2020, 0, 1)
const day = 86_400_000
/**
 * How far the clock of a job's maker may be ahead. It is generous, because a gap in the log is
 * worse than a wrong day.
 */
const aheadAtMost = 7 * day

/** Returns why the log cannot store this job, or `null`. The schema checks types but not values. */
export function jobFault(job: DeliveryJobHead, now: number): string | null {
  return idFault(job) ?? madeFault(job, now) ?? uuidFault('webhookId', job.webhookId)
}

/** Returns why the log cannot store this transition, or `null`. */
export function transitionFault(transition: DeliveryAttempt, now: number): string | null {
  const fault = idFault(transition) ?? madeFault(transition, now)
  if (fault !== null) return fault
  if (!statuses.has(transition.status)) return `status: unknown "${transition.status}"`
  if (transition.step < 0 || transition.attempts < 0) return 'step, attempts: must not be negative'
  if (!isTime(transition.at)) return 'at: not a time'
  if (transition.nextAttemptAt !== null && !isTime(transition.nextAttemptAt))
    return 'nextAttemptAt: not a time'
  return null
}

function idFault({ deliveryId, subscriptionId }: { deliveryId: string; subscriptionId: string }) {
  return uuidFault('deliveryId', deliveryId) ?? uuidFault('subscriptionId', subscriptionId)
}

function madeFault({ createdAt }: { createdAt: number }, now: number): string | null {
  return createdAt >= firstTime && createdAt <= now + aheadAtMost
    ? null
    : 'createdAt: not a plausible time'
}

const uuidFault = (field: string, value: string) => (uuid.test(value) ? null : `${field}: no UUID`)
const isTime = (ms: number) => Number.isSafeInteger(ms) && ms >= 0 && ms < firstTime + 36_500 * day
