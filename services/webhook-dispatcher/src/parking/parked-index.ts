/** A parked job: its place in the order of arrival and, once read, its offset on the paused topic. */
type Parked = { arrival: number; offset: number | undefined; step: number; announced: boolean }

/** A copy of a job on the paused topic. */
export type Copy = { offset: number; step: number }

export type Expected = {
  subscriptionId: string
  arrival: number
  /** That of the copy. */
  step: number
  /** Whether its status is `paused`; false while it only waits for room. */
  announced: boolean
}

/** `read`: it was written, and its turn will come. `unknown`: nothing of it is here; it may have been released. */
export type Unexpected = 'read' | 'unwritten' | 'unknown'

export type Placed = {
  subscriptionId: string
  arrival: number
  offset: number
  step: number
  /** For one that was not expected. */
  announced: boolean
}

/**
 * Which jobs of one partition are parked, per subscription in order of arrival. Bodies stay in
 * Kafka: 100,000 parked jobs cost a few megabytes here.
 */
export class ParkedIndex {
  readonly #lanes = new Map<string, Parked[]>()
  /** How many of a subscription are not announced. */
  readonly #unannounced = new Map<string, number>()
  #size = 0

  get size(): number {
    return this.#size
  }

  /** The subscriptions that have parked jobs. */
  subscriptions(): IterableIterator<string> {
    return this.#lanes.keys()
  }

  has(subscriptionId: string): boolean {
    return this.#lanes.has(subscriptionId)
  }

  /**
   * A job is about to be written to the paused topic: from now on later ones stand behind it. Somebody who
   * was killed may have written it before, and not have committed what it was read from.
   * @returns `parked` when that copy is known and no older than this one would be; the copy that this one
   * replaces once it is written; null when there is none
   */
  expect({ subscriptionId, ...job }: Expected): 'parked' | Copy | null {
    const known = this.#find(subscriptionId, job.arrival)
    if (known === undefined) {
      this.#insert(subscriptionId, { ...job, offset: undefined })
      return null
    }
    const { offset, step } = known
    if (offset !== undefined && step >= job.step) return 'parked'
    known.offset = undefined
    known.step = job.step
    if (job.announced) this.announce(subscriptionId, job.arrival)
    return offset === undefined ? null : { offset, step }
  }

  /**
   * Kafka did not take all of the move that was to write it.
   * @param replaced what it was to replace
   */
  unexpect(
    { subscriptionId, arrival, step }: Omit<Expected, 'announced'>,
    replaced: Copy | null,
  ): Unexpected {
    const known = this.#find(subscriptionId, arrival)
    if (known === undefined) return 'unknown'
    // The entry is about another step of the job.
    if (known.step !== step) return 'unwritten'
    if (known.offset !== undefined) return 'read'
    if (replaced === null) this.remove(subscriptionId, arrival)
    else Object.assign(known, replaced)
    return 'unwritten'
  }

  /**
   * A job was read on the paused topic.
   * @returns the offset of the copy that is worth nothing now: this one's when another is no older, that of
   * an older one; null when there was no other
   */
  place({ subscriptionId, arrival, offset, step, announced }: Placed): number | null {
    const known = this.#find(subscriptionId, arrival)
    if (known === undefined) {
      this.#insert(subscriptionId, { arrival, offset, step, announced })
      return null
    }
    const other = known.offset ?? offset
    if (other !== offset && known.step >= step) return offset
    known.offset = offset
    known.step = step
    return other === offset ? null : other
  }

  isAnnounced(subscriptionId: string, arrival: number): boolean {
    return this.#find(subscriptionId, arrival)?.announced ?? true
  }

  announce(subscriptionId: string, arrival: number): void {
    const known = this.#find(subscriptionId, arrival)
    if (known === undefined || known.announced) return
    known.announced = true
    this.#countUnannounced(subscriptionId, -1)
  }

  hasUnannounced(subscriptionId: string): boolean {
    return this.#unannounced.has(subscriptionId)
  }

  /** The offset of the first one; `undefined` while none of them was read. */
  firstUnannounced(subscriptionId: string): number | undefined {
    const lane = this.#lanes.get(subscriptionId)
    return lane?.find(({ announced, offset }) => !announced && offset !== undefined)?.offset
  }

  /** The parked job that comes first. */
  head(subscriptionId: string): Readonly<Parked> | undefined {
    return this.#lanes.get(subscriptionId)?.[0]
  }

  holds(subscriptionId: string, arrival: number, offset: number): boolean {
    return this.#find(subscriptionId, arrival)?.offset === offset
  }

  remove(subscriptionId: string, arrival: number): void {
    const lane = this.#lanes.get(subscriptionId)
    if (lane === undefined) return
    const index = lowerBound(lane, arrival)
    const known = lane[index]
    if (known?.arrival !== arrival) return
    lane.splice(index, 1)
    this.#size--
    if (!known.announced) this.#countUnannounced(subscriptionId, -1)
    if (lane.length === 0) this.#lanes.delete(subscriptionId)
  }

  #insert(subscriptionId: string, parked: Parked): void {
    let lane = this.#lanes.get(subscriptionId)
    if (lane === undefined) this.#lanes.set(subscriptionId, (lane = []))
    lane.splice(lowerBound(lane, parked.arrival), 0, parked)
    this.#size++
    if (!parked.announced) this.#countUnannounced(subscriptionId, 1)
  }

  #find(subscriptionId: string, arrival: number): Parked | undefined {
    const lane = this.#lanes.get(subscriptionId) ?? []
    const known = lane[lowerBound(lane, arrival)]
    return known?.arrival === arrival ? known : undefined
  }

  #countUnannounced(subscriptionId: string, change: number): void {
    const count = (this.#unannounced.get(subscriptionId) ?? 0) + change
    if (count === 0) this.#unannounced.delete(subscriptionId)
    else this.#unannounced.set(subscriptionId, count)
  }
}

/** First index whose arrival is not below `arrival`; the common case, the end, is looked at first. */
function lowerBound(lane: readonly Parked[], arrival: number): number {
  const last = lane.at(-1)
  if (last === undefined || last.arrival < arrival) return lane.length
  let from = 0
  let to = lane.length
  while (from < to) {
    const middle = (from + to) >>> 1
    if ((lane[middle] as Parked).arrival < arrival) from = middle + 1
    else to = middle
  }
  return from
}
