import type { Place, Sweep } from './paused-run.ts'

/** So many are told at once: their subscription may have any number paused. */
const perTick = 1_000

type Untold = { from: number; to: number; refusedIn: number }

/**
 * Where deliveries stand that waited for room only, which nobody is told. When the circuit of their endpoint opens
 * or their subscription is deactivated, they are read again and told as `paused`, some at a time.
 */
export class UntoldDeliveries {
  readonly #of = new Map<string, Untold>()
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
    const untold = this.#of.get(subscriptionId)
    return untold === undefined || offset < untold.from
  }

  /** @returns whether the delivery is to be told now */
  tell(subscriptionId: string, { offset }: Pick<Place, 'offset'>, sweep: Sweep): boolean {
    const untold = this.#of.get(subscriptionId)
    if (untold === undefined || untold.refusedIn === sweep.id) return false
    if (sweep.from > untold.from || offset < untold.from || offset > untold.to) return false
    untold.from = offset
    if (this.#left === 0) {
      untold.refusedIn = sweep.id
      return false
    }
    this.#left--
    untold.from = offset + 1
    this.#forgetIfTold(subscriptionId, untold)
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
    for (const [subscriptionId, untold] of this.#of) {
      if (untold.refusedIn !== sweep.id && sweep.from <= untold.from) {
        untold.from = Math.max(untold.from, sweep.position)
      }
      if (this.#forgetIfTold(subscriptionId, untold)) continue
      if (isPaused(subscriptionId)) return untold.from
    }
    return undefined
  }

  #forgetIfTold(subscriptionId: string, { from, to }: Untold): boolean {
    return from > to && this.#of.delete(subscriptionId)
  }
}
