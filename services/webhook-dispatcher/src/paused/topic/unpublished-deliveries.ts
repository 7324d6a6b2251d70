import type { PausedView } from '../paused-actions.ts'
import type { PausedPosition, Scan } from '../queues/paused-run.ts'

/**
 * How many statuses are published per tick, because a subscription may have any number of paused
 * deliveries.
 */
const perTick = 1_000

type UnpublishedRange = { from: number; to: number; refusedIn: number }

/**
 * The offsets of deliveries that only wait for a slot, and whose status `paused` is not published.
 * When the circuit of their endpoint opens or their subscription is deactivated, they are read
 * again in portions and their status is published.
 */
export class UnpublishedDeliveries {
  readonly #of = new Map<string, UnpublishedRange>()
  #left = perTick

  has(subscriptionId: string): boolean {
    return this.#of.has(subscriptionId)
  }

  /** Adds a delivery whose status is not published. It has to be read again for that. */
  add(subscriptionId: string, { offset }: Pick<PausedPosition, 'offset'>, scan: Scan): void {
    const { from, to } = this.#of.get(subscriptionId) ?? { from: offset, to: offset }
    this.#of.set(subscriptionId, {
      from: Math.min(from, offset),
      to: Math.max(to, offset),
      refusedIn: scan.id,
    })
  }

  /** @returns whether the status of the first such delivery may be published now */
  publishAtOnce(subscriptionId: string): boolean {
    if (this.#left === 0 || this.has(subscriptionId)) return false
    this.#left--
    return true
  }

  /** Returns whether a delivery that was written as unpublished has been published since. */
  isPublished(subscriptionId: string, offset: number): boolean {
    const unpublished = this.#of.get(subscriptionId)
    return unpublished === undefined || offset < unpublished.from
  }

  /**
   * Takes a delivery that was read again.
   * @param isPaused false: its subscription only waits for a slot, and its status stays unpublished
   * @returns whether the delivery's status has to be published now
   */
  publish(
    subscriptionId: string,
    { offset }: Pick<PausedPosition, 'offset'>,
    { isPaused, scan }: { isPaused: boolean; scan: Scan },
  ): boolean {
    const unpublished = this.#of.get(subscriptionId)
    if (unpublished === undefined || unpublished.refusedIn === scan.id) return false
    if (scan.from > unpublished.from || offset < unpublished.from || offset > unpublished.to)
      return false
    unpublished.from = offset
    if (this.#left === 0 || !isPaused) {
      unpublished.refusedIn = scan.id
      return false
    }
    this.#left--
    unpublished.from = offset + 1
    this.#forgetIfPublished(subscriptionId, unpublished)
    return true
  }

  /** @returns whether more statuses may be published than before */
  tick(): boolean {
    const wasSpent = this.#left === 0
    this.#left = perTick
    return wasSpent
  }

  forget(subscriptionId: string): void {
    this.#of.delete(subscriptionId)
  }

  /**
   * Returns the offset of the first delivery whose status has to be published, or undefined for
   * none.
   */
  next(scan: Scan, view: Pick<PausedView, 'isPaused'>): number | undefined {
    if (this.#left === 0) return undefined
    for (const [subscriptionId, unpublished] of this.#of) {
      if (unpublished.refusedIn !== scan.id && scan.from <= unpublished.from) {
        unpublished.from = Math.max(unpublished.from, scan.position)
      }
      if (this.#forgetIfPublished(subscriptionId, unpublished)) continue
      if (view.isPaused(subscriptionId)) return unpublished.from
    }
    return undefined
  }

  #forgetIfPublished(subscriptionId: string, { from, to }: UnpublishedRange): boolean {
    return from > to && this.#of.delete(subscriptionId)
  }
}
