/** A token bucket: it fills with `perSecond` points a second, and holds at most `burst`. */
export type Bucket = {
  /** Names the bucket in the response headers. */
  readonly name: string
  /** Names the bucket in Redis. */
  readonly key: string
  readonly perSecond: number
  readonly burst: number
}

/** Takes points from all buckets at once, or from none. */
export type Take = {
  readonly buckets: readonly Bucket[]
  /** Points of an earlier take that were not spent. */
  readonly returned: number
  /** The least to take. A bucket with a smaller `burst` gives all that it can hold. */
  readonly cost: number
  /** The most to take. */
  readonly wanted: number
}

export type TakeResult = {
  /** 0, or at least the cost. */
  readonly granted: number
  /** What is left in each bucket. */
  readonly levels: readonly number[]
  /** Milliseconds until each bucket can pay the cost. */
  readonly waitsMs: readonly number[]
}

/**
 * The largest part of a bucket's content that one take beyond its cost may have. Near the limit
 * takes become small, and the replicas share what is left.
 */
export const largestShare = 8

export const needOf = ({ burst }: Bucket, cost: number): number => Math.min(cost, burst)

/** Decides a take from what the buckets hold, without the returned points. */
export function decideTake(
  { buckets, returned, cost, wanted }: Take,
  contents: readonly number[],
): TakeResult {
  const available = buckets.map(({ burst }, n) => Math.min(burst, (contents[n] ?? 0) + returned))
  const waitsMs = buckets.map((bucket, n) => {
    const missing = needOf(bucket, cost) - (available[n] ?? 0)
    return Math.max(0, Math.ceil((missing / bucket.perSecond) * 1_000))
  })
  if (waitsMs.some((ms) => ms > 0)) return { granted: 0, levels: available, waitsMs }
  const share = Math.floor(Math.min(...available) / largestShare)
  const granted = Math.max(cost, Math.min(wanted, share))
  // Below 0 after a request that costs more than the burst: later ones wait for it.
  return { granted, levels: available.map((points) => points - granted), waitsMs }
}

const deleteEveryMs = 10_000

/** Buckets of this process alone. A bucket that is full again is forgotten. */
export class LocalBuckets {
  readonly #contents = new Map<string, { points: number; at: number; fullAt: number }>()
  readonly #now: () => number
  #deletedAt = 0

  constructor(now: () => number) {
    this.#now = now
  }

  take(take: Take): TakeResult {
    const now = this.#now()
    const taken = decideTake(
      take,
      take.buckets.map((bucket) => this.#pointsOf(bucket, now)),
    )
    this.keep(take.buckets, taken.levels)
    return taken
  }

  /** Sets what the buckets hold now. */
  keep(buckets: readonly Bucket[], levels: readonly number[]): void {
    const now = this.#now()
    this.#deleteFull(now)
    for (const [n, { key, burst, perSecond }] of buckets.entries()) {
      const points = levels[n] ?? 0
      const fullAt = now + ((burst - points) / perSecond) * 1_000
      this.#contents.set(key, { points, at: now, fullAt })
    }
  }

  get size(): number {
    return this.#contents.size
  }

  #pointsOf({ key, perSecond, burst }: Bucket, now: number): number {
    const content = this.#contents.get(key)
    if (content === undefined) return burst
    return Math.min(burst, content.points + ((now - content.at) / 1_000) * perSecond)
  }

  #deleteFull(now: number): void {
    if (now - this.#deletedAt < deleteEveryMs) return
    this.#deletedAt = now
    for (const [key, { fullAt }] of this.#contents) {
      if (fullAt <= now) this.#contents.delete(key)
    }
  }
}
