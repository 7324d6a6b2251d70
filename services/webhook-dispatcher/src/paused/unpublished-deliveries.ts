import type { Place, Sweep } from './paused-run.ts'

/** So many are told at once: their subscription may have any number paused. */
const perTick = 1_000

type Unpublished = { from: number; to: number; refusedIn: number }

/**
 * Where deliveries stand that waited for room only, which nobody is told. When the circuit of their endpoint opens
 * or their subscription is deactivated, they are read again and told as `paused`, some at a time.
 */
export class UnpublishedDeliveries {
  readonly #of = new Map<string, Unpublished>()
  #left = perTick

  has(subscriptionId: string): boolean {
    return this.#of.has(subscriptionId)
  }

  /** A delivery stands on the topic that is not told: it has to be read again for that. */
  add(subscriptionId: string, { offset }: Pick<Place, 'offset'>, sweep: Sweep): void {
    const { from, to } = this.#of.get(subscriptionId) ?? { from: offset, to: offset }
    this.#of.set(subscriptionId, {
      from: Math.min(from, offset),
      to: Math.max(to, offset),
      refusedIn: sweep.id,
    })
  }

  /** @returns whether one that nothing stands before may be told now */
  tellAtOnce(subscriptionId: string): boolean {
    if (this.#left === 0 || this.has(subscriptionId)) return false
    this.#left--
    return true
  }

  /** Of one that was written as not told: whether it is told since. */
  isTold(subscriptionId: string, offset: number): boolean {
    const unpublished = this.#of.get(subscriptionId)
    return unpublished === undefined || offset < unpublished.from
  }

  /** @returns whether the delivery is to be told now */
  tell(subscriptionId: string, { offset }: Pick<Place, 'offset'>, sweep: Sweep): boolean {
    const unpublished = this.#of.get(subscriptionId)
    if (unpublished === undefined || unpublished.refusedIn === sweep.id) return false
    if (sweep.from > unpublished.from || offset < unpublished.from || offset > unpublished.to)
      return false
    unpublished.from = offset
    if (this.#left === 0) {
      unpublished.refusedIn = sweep.id
      return false
    }
    this.#left--
    unpublished.from = offset + 1
    this.#forgetIfTold(subscriptionId, unpublished)
    return true
  }

  /** @returns whether more may be told than before */
  tick(): boolean {
    const wasSpent = this.#left === 0
    this.#left = perTick
    return wasSpent
  }

  forget(subscriptionId: string): void {
    this.#of.delete(subscriptionId)
  }

  /** Where the first one stands that is to be told; undefined for nothing now. */
  next(sweep: Sweep, isPaused: (subscriptionId: string) => boolean): number | undefined {
    if (this.#left === 0) return undefined
    for (const [subscriptionId, unpublished] of this.#of) {
      if (unpublished.refusedIn !== sweep.id && sweep.from <= unpublished.from) {
        unpublished.from = Math.max(unpublished.from, sweep.position)
      }
      if (this.#forgetIfTold(subscriptionId, unpublished)) continue
      if (isPaused(subscriptionId)) return unpublished.from
    }
    return undefined
  }

  #forgetIfTold(subscriptionId: string, { from, to }: Unpublished): boolean {
    return from > to && this.#of.delete(subscriptionId)
  }
}
