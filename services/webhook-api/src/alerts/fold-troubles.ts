import type { DeliveryAttempt } from '@surehook/contracts/events'

/** What a batch of transitions says about one subscription. Times in epoch milliseconds. */
export type Trouble = {
  subscriptionId: string
  projectId: string
  environment: string
  /** The first delivery that was paused, and the first dead letter. */
  pausedAt: number | null
  deadLetterAt: number | null
  /** The last of both. */
  failedAt: number | null
  succeededAt: number | null
}

/**
 * Returns one entry per subscription with a paused delivery, a dead letter or a success, sorted by
 * id. Deliveries of an active subscription are paused only while its circuit is open.
 */
export function foldTroubles(transitions: readonly DeliveryAttempt[]): Trouble[] {
  const bySubscription = Map.groupBy(transitions, ({ subscriptionId }) => subscriptionId)
  return [...bySubscription]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([subscriptionId, [first, ...others]]) =>
      first === undefined ? [] : [{ subscriptionId, ...troubleOf([first, ...others]) }],
    )
    .filter(({ failedAt, succeededAt }) => failedAt !== null || succeededAt !== null)
}

function troubleOf(
  transitions: readonly [DeliveryAttempt, ...DeliveryAttempt[]],
): Omit<Trouble, 'subscriptionId'> {
  const [{ projectId, environment }] = transitions
  const times = (...statuses: DeliveryAttempt['status'][]) =>
    transitions.filter(({ status }) => statuses.includes(status)).map(({ at }) => at)
  return {
    ...{ projectId, environment },
    pausedAt: extreme(Math.min, times('paused')),
    deadLetterAt: extreme(Math.min, times('dead_letter')),
    failedAt: extreme(Math.max, times('paused', 'dead_letter')),
    succeededAt: extreme(Math.max, times('delivered')),
  }
}

const extreme = (of: typeof Math.max, times: readonly number[]) =>
  times.length === 0 ? null : of(...times)
