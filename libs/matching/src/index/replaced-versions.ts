import type { Subscription } from '../subscription.ts'

export type ReplacedVersionsOptions = {
  keepMs: number
  perSubscription: number
  total: number
  now: () => number
  forget: (version: Subscription, successor: Subscription | undefined) => void
}

/**
 * Replaced versions of subscriptions, kept for changes from their time that may still arrive. Their
 * number is bounded, so that a client that updates a subscription repeatedly cannot exhaust memory.
 */
export class ReplacedVersions {
  readonly #options: ReplacedVersionsOptions
  /** Oldest first. The value is the time of the replacement. */
  readonly #all = new Map<Subscription, number>()
  readonly #byId = new Map<string, Subscription[]>()

  constructor(options: ReplacedVersionsOptions) {
    this.#options = options
  }

  get size(): number {
    return this.#all.size
  }

  add(version: Subscription): void {
    const { perSubscription, now } = this.#options
    const mine = this.#byId.get(version.id) ?? []
    this.#byId.set(version.id, mine)
    mine.push(version)
    this.#all.set(version, now())
    if (mine.length > perSubscription) this.#forget(mine[0])
    this.#forgetOld()
  }

  #forgetOld(): void {
    const { keepMs, total, now } = this.#options
    for (const [version, at] of this.#all) {
      if (this.#all.size <= total && now() - at < keepMs) return
      this.#forget(version)
    }
  }

  #forget(version: Subscription | undefined): void {
    if (version === undefined || !this.#all.delete(version)) return
    const mine = this.#byId.get(version.id) ?? []
    mine.shift()
    if (mine.length === 0) this.#byId.delete(version.id)
    this.#options.forget(version, mine[0])
  }
}
