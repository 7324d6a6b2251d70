import type { DeliveryAttempt } from '@surehook/contracts/events'
import { transitionsOf } from '../rows/counted-attempts.ts'
import type { FoldedDelivery } from '../rows/fold-deliveries.ts'
import { latencyClass } from './latency-classes.ts'

/** The length of a bucket. */
export const bucketMs = 5 * 60_000
export const hourMs = 3_600_000
/** The numbers are kept for a day longer than the longest window that reads them. */
export const bucketsKeptMs = 2 * 86_400_000
export const hoursKeptMs = 8 * 86_400_000

/** The increments of one subscription in one bucket. */
export type StatsIncrement = {
  readonly subscriptionId: string
  /** Epoch milliseconds. */
  readonly at: number
  attempts: number
  delivered: number
  retrying: number
  deadLetter: number
  cancelled: number
  /** Counts of attempts by class of duration. */
  readonly latencies: number[]
}

/**
 * Returns one entry per subscription and bucket. They are sorted, so that two writers lock rows in
 * the same order.
 * @param counted bits of the attempts that count, in the order of the deliveries
 */
export function foldStats(
  deliveries: readonly FoldedDelivery[],
  counted: readonly number[],
  now: number,
): StatsIncrement[] {
  const folded = new Map<string, Map<number, StatsIncrement>>()
  for (const [index, delivery] of deliveries.entries()) {
    const bits = counted[index] ?? 0
    if (bits === 0) continue
    const subscriptionId = delivery.of.subscriptionId.toLowerCase()
    for (const transition of transitionsOf(delivery, bits)) {
      const at = Math.floor(transition.at / bucketMs) * bucketMs
      if (at > now - hoursKeptMs) add(entryOf(folded, subscriptionId, at), transition)
    }
  }
  return [...folded.values()]
    .flatMap((ofOne) => [...ofOne.values()])
    .sort((a, b) => (a.subscriptionId === b.subscriptionId ? a.at - b.at : byId(a, b)))
}

/** Sums sorted increments by subscription and hour, in the same order. */
export function foldHours(increments: readonly StatsIncrement[]): StatsIncrement[] {
  const hours: StatsIncrement[] = []
  for (const one of increments) {
    const at = Math.floor(one.at / hourMs) * hourMs
    const last = hours.at(-1)
    if (last?.at === at && last.subscriptionId === one.subscriptionId) sumUp(last, one)
    else hours.push({ ...one, at, latencies: [...one.latencies] })
  }
  return hours
}

function sumUp(sum: StatsIncrement, { latencies, ...one }: StatsIncrement): void {
  sum.attempts += one.attempts
  sum.delivered += one.delivered
  sum.retrying += one.retrying
  sum.deadLetter += one.deadLetter
  sum.cancelled += one.cancelled
  for (const [of, count] of latencies.entries())
    sum.latencies[of] = (sum.latencies[of] ?? 0) + count
}

const byId = (a: StatsIncrement, b: StatsIncrement) =>
  a.subscriptionId < b.subscriptionId ? -1 : 1

function entryOf(
  folded: Map<string, Map<number, StatsIncrement>>,
  subscriptionId: string,
  at: number,
): StatsIncrement {
  const ofOne = folded.get(subscriptionId) ?? new Map<number, StatsIncrement>()
  folded.set(subscriptionId, ofOne)
  const known = ofOne.get(at)
  if (known !== undefined) return known
  const none = { attempts: 0, delivered: 0, retrying: 0, deadLetter: 0, cancelled: 0 }
  const entry = { subscriptionId, at, ...none, latencies: [] }
  ofOne.set(at, entry)
  return entry
}

function add(entry: StatsIncrement, { status, attempted, latencyMs }: DeliveryAttempt): void {
  if (attempted) entry.attempts++
  switch (status) {
    case 'delivered':
      entry.delivered++
      break
    case 'dead_letter':
      entry.deadLetter++
      break
    case 'cancelled':
      entry.cancelled++
      break
    case 'retrying':
    case 'paused':
    case 'pending':
      entry.retrying++
      break
  }
  if (latencyMs === null) return
  const { latencies } = entry
  const of = latencyClass(latencyMs)
  while (latencies.length <= of) latencies.push(0)
  latencies[of] = (latencies[of] ?? 0) + 1
}
