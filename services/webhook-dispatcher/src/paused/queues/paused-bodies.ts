/** The limits per partition of bodies in memory before their release. */
const mostKept = 4_096
const mostBytes = 4 * 1024 * 1024
/**
 * A subscription may use three times the free space, so a single one fills at most three quarters.
 */
const timesTheRest = 3

type BodyTotals = { count: number; bytes: number }

/** Counts the memory of the bodies of one partition's paused deliveries, by subscription. */
export class PausedBodies {
  readonly #of = new Map<string, BodyTotals>()
  readonly #all: BodyTotals = { count: 0, bytes: 0 }

  get count(): number {
    return this.#all.count
  }

  /** Returns whether the subscription may keep one more body. */
  hasRoom(subscriptionId: string): boolean {
    const { count, bytes } = this.#of.get(subscriptionId) ?? { count: 0, bytes: 0 }
    if (count >= timesTheRest * (mostKept - this.#all.count)) return false
    return bytes < timesTheRest * (mostBytes - this.#all.bytes)
  }

  add(subscriptionId: string, bytes: number): void {
    const kept = this.#of.get(subscriptionId) ?? { count: 0, bytes: 0 }
    this.#of.set(subscriptionId, kept)
    change(kept, 1, bytes)
    change(this.#all, 1, bytes)
  }

  remove(subscriptionId: string, bytes: number): void {
    const kept = this.#of.get(subscriptionId)
    if (kept === undefined) return
    change(kept, -1, -bytes)
    change(this.#all, -1, -bytes)
    if (kept.count === 0) this.#of.delete(subscriptionId)
  }

  /** Returns the subscription with the most bytes among those for which `mayLose` is true. */
  largest(mayLose: (subscriptionId: string) => boolean): string | undefined {
    let largest: string | undefined
    let most = 0
    for (const [subscriptionId, { bytes }] of this.#of) {
      if (bytes < most || !mayLose(subscriptionId)) continue
      largest = subscriptionId
      most = bytes
    }
    return largest
  }
}

function change(kept: BodyTotals, count: number, bytes: number): void {
  kept.count += count
  kept.bytes += bytes
}
