import type { DeliveryDetail } from '@surehook/client'

export type PlannedAttempt = {
  attempt: number
  /** Epoch milliseconds, at the earliest. `null` if that depends on the receiver. */
  at: number | null
  /** How long after the attempt before it. `null` for the first. */
  after: string | null
}

/** Before an upgrade is complete, an older webhook-api may answer without the delays. */
type PlannedDelivery = Pick<DeliveryDetail, 'status' | 'attempts' | 'nextAttemptAt'> &
  Partial<Pick<DeliveryDetail, 'retryDelays'>>

/** The attempts that follow, if each one before it fails. The first of them is the next one. */
export function plannedAttempts(delivery: PlannedDelivery): PlannedAttempt[] {
  const { status, attempts, nextAttemptAt, retryDelays = [] } = delivery
  if (!['pending', 'retrying', 'paused'].includes(status)) return []
  const first = nextAttemptAt === null ? null : Date.parse(nextAttemptAt)
  const after = retryDelays[attempts - 1] ?? null
  const planned: PlannedAttempt[] = [{ attempt: attempts + 1, at: first, after }]
  let at = first
  for (const [index, delay] of retryDelays.slice(attempts).entries()) {
    at = at === null ? null : at + durationMs(delay)
    planned.push({ attempt: attempts + index + 2, at, after: delay })
  }
  return planned
}

const unitMs: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
}

/** Milliseconds of a duration such as `30s`. */
function durationMs(text: string): number {
  const [, count, unit = ''] = /^(\d+)(ms|s|m|h|d)$/.exec(text) ?? []
  return Number(count) * (unitMs[unit] ?? Number.NaN)
}
