import type { DeliveryJob } from '@surehook/contracts'
import type { PartitionLane } from '@surehook/service-kit/kafka/partition-lane'
import type { WindowedMessage } from '@surehook/service-kit/kafka/windowed-consumer'
import { ParkedIndex } from './parked-index.ts'

export type ParkedDelivery = { job: DeliveryJob; message: WindowedMessage }

export type ParkingOptions = {
  lane: PartitionLane
  /** How many jobs of the subscription may start now; negative while it is blocked as a whole. */
  admission: (subscriptionId: string) => number
  /** Called in the order of arrival within a subscription. */
  release: (delivery: ParkedDelivery) => void
  /** Parks it again, at the end of the topic, so that the old place can be given up. */
  relocate: (delivery: ParkedDelivery) => void
  seek: (offset: number) => void
  pause: () => void
  resume: () => void
}

/** Bodies kept in memory ahead of their release, per partition and per subscription. */
const maxCached = 1_024
const maxCachedBytes = 4 * 1024 * 1024
const maxCachedPerSubscription = 256
/** Reading on to an offset so near costs less than seeking to it. */
const nearAhead = 500

/**
 * The jobs of one partition that wait on the paused topic: behind an open circuit, for an inactive
 * subscription, or for room at their endpoint. Memory holds an index; bodies are read again when
 * their turn comes. Nothing waits for a job of another subscription.
 */
export class Parking {
  readonly #options: ParkingOptions
  readonly #index = new ParkedIndex()
  readonly #cache = new Map<number, ParkedDelivery>()
  readonly #cachedOf = new Map<string, number>()
  #cachedBytes = 0
  /** The offset that is read next. */
  #cursor: number
  #reading = true
  #recovered = false
  /** Jobs below it are moved to the end of the topic. */
  #relocateBelow = 0
  #onRecovered: (() => void)[] = []

  constructor(options: ParkingOptions) {
    this.#options = options
    this.#cursor = options.lane.committed
    this.afterRead()
  }

  /** False until everything that was parked before this process came is known again. */
  get recovered(): boolean {
    return this.#recovered
  }

  get size(): number {
    return this.#index.size
  }

  whenRecovered(then: () => void): void {
    this.#onRecovered.push(then)
  }

  has(subscriptionId: string): boolean {
    return this.#index.has(subscriptionId)
  }

  /** A job is about to be written to the paused topic. */
  expect(job: DeliveryJob): void {
    this.#index.expect(job.subscriptionId, job.arrival)
  }

  /**
   * It was not written after all.
   * @returns false when it was: it has been read, and its turn will come
   */
  unexpect(job: DeliveryJob): boolean {
    return this.#index.unexpect(job.subscriptionId, job.arrival)
  }

  /** A job was read on the paused topic, for the first time or again. */
  read(delivery: ParkedDelivery): void {
    const { job, message } = delivery
    const { lane } = this.#options
    this.#cursor = message.offset + 1
    message.detach()
    if (message.reread) {
      if (!this.#index.holds(job.subscriptionId, job.arrival, message.offset)) return
    } else if (!this.#index.place(job.subscriptionId, job.arrival, message.offset)) {
      message.finish()
      return
    }
    if (this.#recovered && message.offset === lane.low && this.#relocating()) {
      this.#relocate(delivery)
    } else if (this.#options.admission(job.subscriptionId) >= 0) this.#keep(delivery)
  }

  /** After each batch of the paused topic, and once when the lane was found empty. */
  afterRead(): void {
    const { lane } = this.#options
    if (!this.#recovered && lane.next >= lane.endAtStart) {
      this.#recovered = true
      for (const then of this.#onRecovered.splice(0)) then()
    }
    this.pump()
  }

  /** The group was joined again: reading goes on where the lane stands. */
  rejoined(): void {
    this.#cursor = this.#options.lane.next
    this.#reading = true
    this.#options.resume()
    this.pump()
  }

  /** Releases what may go, and reads what it needs for that. */
  pump(): void {
    if (!this.#recovered || this.#options.lane.lease.aborted) return
    let wanted = this.#relocating() ? this.#options.lane.low : Number.POSITIVE_INFINITY
    let unread = false
    for (const subscriptionId of [...this.#index.subscriptions()]) {
      const missing = this.#releaseOf(subscriptionId)
      if (missing === 'unread') unread = true
      else if (missing !== null) wanted = Math.min(wanted, missing)
    }
    if (wanted !== Number.POSITIVE_INFINITY) this.#readFrom(wanted)
    else if (unread) this.#readOn()
  }

  /** @returns the offset of the next job that may go but is not in memory, if there is one */
  #releaseOf(subscriptionId: string): number | 'unread' | null {
    while (this.#options.admission(subscriptionId) > 0) {
      const head = this.#index.head(subscriptionId)
      if (head === undefined) return null
      if (head.offset === undefined) return 'unread'
      const cached = this.#cache.get(head.offset)
      if (cached === undefined) {
        this.#forgetAllOf(subscriptionId)
        return head.offset
      }
      this.#forget(cached)
      this.#index.remove(subscriptionId, head.arrival)
      this.#options.release(cached)
    }
    return null
  }

  #readFrom(offset: number): void {
    const ahead = offset - this.#cursor
    if (this.#reading && ahead >= 0 && ahead < nearAhead) return
    // What is left in the cache cannot go before what is missing.
    if (this.#full()) this.#clear()
    this.#cursor = offset
    this.#options.seek(offset)
    this.#readOn()
  }

  #readOn(): void {
    if (this.#reading) return
    this.#reading = true
    this.#options.resume()
  }

  #keep(delivery: ParkedDelivery): void {
    const { job, message } = delivery
    const mine = this.#cachedOf.get(job.subscriptionId) ?? 0
    if (this.#cache.has(message.offset)) return
    if (this.#full() || mine >= maxCachedPerSubscription) {
      // Reading on would only drop what has to be read again.
      if (this.#recovered && this.#reading) {
        this.#reading = false
        this.#options.pause()
      }
      return
    }
    this.#cache.set(message.offset, delivery)
    this.#cachedOf.set(job.subscriptionId, mine + 1)
    this.#cachedBytes += job.body.length
  }

  #forget({ job, message }: ParkedDelivery): void {
    if (!this.#cache.delete(message.offset)) return
    const left = (this.#cachedOf.get(job.subscriptionId) ?? 1) - 1
    if (left === 0) this.#cachedOf.delete(job.subscriptionId)
    else this.#cachedOf.set(job.subscriptionId, left)
    this.#cachedBytes -= job.body.length
  }

  /** What is kept of a subscription cannot go before its missing head, and would take its place. */
  #forgetAllOf(subscriptionId: string): void {
    if (!this.#cachedOf.has(subscriptionId)) return
    for (const cached of [...this.#cache.values()]) {
      if (cached.job.subscriptionId === subscriptionId) this.#forget(cached)
    }
  }

  #full(): boolean {
    return this.#cache.size >= maxCached || this.#cachedBytes >= maxCachedBytes
  }

  #clear(): void {
    this.#cache.clear()
    this.#cachedOf.clear()
    this.#cachedBytes = 0
  }

  /**
   * The commit's metadata is full: what was finished above the oldest parked jobs no longer fits.
   * They move to the end of the topic, half of the span at once, and keep their order of arrival.
   */
  #relocating(): boolean {
    const { lane } = this.#options
    if (lane.crowded) this.#relocateBelow = Math.floor((lane.low + lane.next) / 2)
    return lane.low < this.#relocateBelow
  }

  #relocate(delivery: ParkedDelivery): void {
    const { job } = delivery
    this.#forget(delivery)
    this.#index.remove(job.subscriptionId, job.arrival)
    this.#options.relocate(delivery)
  }
}
