import type { DeliveryJob } from '@surehook/contracts/events'
import type { PartitionLane } from '@surehook/service-kit/kafka/partition-lane'
import type { AnnouncementsOptions } from './announcements.ts'
import { Announcements } from './announcements.ts'
import type { ParkedDelivery } from './parked-bodies.ts'
import { ParkedBodies } from './parked-bodies.ts'
import { type Copy, ParkedIndex, type Unexpected } from './parked-index.ts'
import { WaitingRooms } from './waiting-rooms.ts'

export type ParkingOptions = AnnouncementsOptions & {
  lane: PartitionLane
  /** How many jobs of the subscription may start now; negative while it is blocked as a whole. */
  admission: (subscriptionId: string) => number
  /** What it waits for when nothing may start; null when that is itself: its next state. */
  endpointOf: (subscriptionId: string) => string | null
  /** Called in the order of arrival within a subscription. */
  release: (delivery: ParkedDelivery) => void
  /** Parks it again, at the end of the topic, so that the old place can be given up. */
  relocate: (delivery: ParkedDelivery, announced: boolean) => void
  seek: (offset: number) => void
  pause: () => void
  resume: () => void
}

/** Reading on to an offset so near costs less than seeking to it. */
const nearAhead = 500

/**
 * The jobs of one partition that wait on the paused topic: behind an open circuit, for an inactive
 * subscription, or for room at their endpoint. Memory holds an index; bodies are read again when
 * their turn comes. Nothing waits for a job of another subscription, and a subscription costs
 * nothing until something changes that it waits for.
 */
export class Parking {
  readonly #options: ParkingOptions
  readonly #index = new ParkedIndex()
  readonly #bodies = new ParkedBodies()
  /** Subscriptions whose jobs or state changed since they were looked at. */
  readonly #changed = new Set<string>()
  readonly #rooms = new WaitingRooms()
  /** Where the next jobs of subscriptions that may go are to be read; `undefined`: at the end. */
  readonly #wanted = new Map<string, number | undefined>()
  readonly #announcements: Announcements
  /** The offset that is read next. */
  #cursor: number
  #reading = true
  /** Something is to be read that was not before. */
  #wantsMore = false
  #recovered = false
  /** Jobs below it are moved to the end of the topic. */
  #relocateBelow = 0
  #onRecovered: (() => void)[] = []

  constructor(options: ParkingOptions) {
    this.#options = options
    this.#cursor = options.lane.committed
    this.#announcements = new Announcements(this.#index, options)
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

  /**
   * A job is about to be written to the paused topic, as its next step; `announced`: with the status `paused`.
   * @returns `parked` when it is there already: it is not to be written. The older copy that is to be given
   * up when it is written; null when there is none
   */
  expect(job: DeliveryJob, announced: boolean): 'parked' | Copy | null {
    const { subscriptionId, arrival, step } = job
    this.#changed.add(subscriptionId)
    const found = this.#index.expect({ subscriptionId, arrival, step: step + 1, announced })
    if (found !== null && found !== 'parked') this.#forgetBodyAt(found.offset)
    return found
  }

  /** Kafka did not take all of the move: see the index's. */
  unexpect(job: DeliveryJob, replaced: Copy | null): Unexpected {
    const { subscriptionId, arrival, step } = job
    this.#changed.add(subscriptionId)
    return this.#index.unexpect({ subscriptionId, arrival, step: step + 1 }, replaced)
  }

  /** A newer copy of the job is on the paused topic. */
  giveUp(offset: number): void {
    this.#forgetBodyAt(offset)
    this.#options.lane.finish(offset)
  }

  /** A job was read on the paused topic, for the first time or again. */
  read(delivery: ParkedDelivery): void {
    const { job, message } = delivery
    this.#cursor = message.offset + 1
    message.detach()
    if (!this.#isPlaced(delivery)) return
    this.#changed.add(job.subscriptionId)
    if (this.#recovered) this.#announcements.read(job)
    if (this.#recovered && message.offset === this.#options.lane.low && this.#relocating()) {
      this.#relocate(delivery)
    } else if (this.#options.admission(job.subscriptionId) >= 0) this.#keep(delivery)
  }

  /** A copy was read of a job that was dealt with elsewhere: it is not parked any more. */
  forget({ job, message }: ParkedDelivery): void {
    const { subscriptionId, arrival } = job
    this.#cursor = message.offset + 1
    if (!this.#index.holds(subscriptionId, arrival, message.offset)) return
    this.#forgetBodyAt(message.offset)
    this.#index.remove(subscriptionId, arrival)
    this.#changed.add(subscriptionId)
  }

  /** After each batch of the paused topic, and once when the lane was found empty. */
  afterRead(): void {
    const { lane } = this.#options
    if (!this.#recovered && lane.next >= lane.endAtStart) {
      this.#recovered = true
      for (const then of this.#onRecovered.splice(0)) then()
    }
    this.#wantsMore = true
    this.#pump()
  }

  /** The group was joined again: reading goes on where the lane stands. */
  rejoined(): void {
    this.#cursor = this.#options.lane.next
    this.#reading = true
    this.#options.resume()
    for (const subscriptionId of this.#index.subscriptions()) this.#changed.add(subscriptionId)
    this.afterRead()
  }

  subscriptionChanged(subscriptionId: string): void {
    if (!this.#index.has(subscriptionId)) return
    this.#changed.add(subscriptionId)
    this.#pump()
  }

  /** There may be room at it, or its circuit opened or closed. */
  endpointChanged(endpointId: string): void {
    if (!this.#mayPump || this.#index.size === 0) return
    for (const subscriptionId of this.#rooms.at(endpointId)) {
      // Those behind it wait for the same.
      if (this.#options.admission(subscriptionId) === 0) break
      this.#lookAt(subscriptionId)
    }
    this.#pump()
  }

  /** To be called several times a second: each time it tells a bounded number of jobs. */
  tick(): void {
    if (!this.#announcements.tick()) return
    this.#wantsMore = true
    this.#pump()
  }

  get #mayPump(): boolean {
    return this.#recovered && !this.#options.lane.lease.aborted
  }

  /** Releases what may go of what changed, and reads what it needs for that. */
  #pump(): void {
    if (!this.#mayPump) return
    for (const subscriptionId of this.#changed) this.#lookAt(subscriptionId)
    if (this.#wantsMore || !this.#reading || this.#relocating()) this.#steer()
  }

  #lookAt(subscriptionId: string): void {
    this.#changed.delete(subscriptionId)
    const next = this.#releaseOf(subscriptionId)
    if (next.kind === 'read') {
      this.#rooms.leave(subscriptionId)
      this.#wanted.set(subscriptionId, next.offset)
      this.#wantsMore = true
      return
    }
    this.#wanted.delete(subscriptionId)
    const endpointId = next.kind === 'wait' ? this.#options.endpointOf(subscriptionId) : null
    if (endpointId === null) this.#rooms.leave(subscriptionId)
    else this.#rooms.enter(subscriptionId, endpointId)
    if (this.#announcements.consider(subscriptionId)) this.#wantsMore = true
  }

  /** @returns what its next job waits for: to be read, or to be admitted; or that there is none */
  #releaseOf(subscriptionId: string): Next {
    for (;;) {
      const head = this.#index.head(subscriptionId)
      if (head === undefined) return { kind: 'none' }
      if (this.#options.admission(subscriptionId) <= 0) return { kind: 'wait' }
      const { offset } = head
      const kept = offset === undefined ? undefined : this.#bodies.at(offset)
      if (kept === undefined) {
        // What is kept of it cannot go before its head, and would take its place.
        if (offset !== undefined) this.#bodies.forgetAllOf(subscriptionId)
        return { kind: 'read', offset }
      }
      this.#bodies.forget(kept)
      this.#index.remove(subscriptionId, head.arrival)
      this.#options.release(kept)
    }
  }

  #steer(): void {
    this.#wantsMore = false
    let first = this.#relocating() ? this.#options.lane.low : Number.POSITIVE_INFINITY
    let end = false
    const want = (offset: number | undefined) => {
      if (offset === undefined) end = true
      else first = Math.min(first, offset)
    }
    for (const [subscriptionId, offset] of this.#wanted) {
      // Others have taken the room meanwhile.
      if (this.#options.admission(subscriptionId) <= 0) this.#lookAt(subscriptionId)
      else want(offset)
    }
    const unannounced = this.#announcements.wanted
    if (unannounced !== null) want(unannounced)
    if (first !== Number.POSITIVE_INFINITY) this.#readFrom(first)
    else if (end) this.#readOn()
  }

  #readFrom(offset: number): void {
    const ahead = offset - this.#cursor
    if (this.#reading && ahead >= 0 && ahead < nearAhead) return
    // What is left there cannot go before what is missing.
    if (this.#bodies.isFull) this.#bodies.clear()
    this.#cursor = offset
    this.#options.seek(offset)
    this.#readOn()
  }

  #readOn(): void {
    if (this.#reading) return
    this.#reading = true
    this.#options.resume()
  }

  /** False for a copy of a job that is parked already, and for one that has gone. */
  #isPlaced({ job, message }: ParkedDelivery): boolean {
    const { subscriptionId, arrival } = job
    if (message.reread) return this.#index.holds(subscriptionId, arrival, message.offset)
    // Of what another process has parked it is not known whether it was told: it is taken for that.
    const announced = this.#options.isPaused(subscriptionId)
    const { step } = job
    const { offset } = message
    const useless = this.#index.place({ subscriptionId, arrival, offset, step, announced })
    if (useless === offset) message.finish()
    else if (useless !== null) this.giveUp(useless)
    return useless !== offset
  }

  #forgetBodyAt(offset: number): void {
    const kept = this.#bodies.at(offset)
    if (kept !== undefined) this.#bodies.forget(kept)
  }

  #keep(delivery: ParkedDelivery): void {
    if (this.#bodies.keep(delivery) || !this.#recovered || !this.#reading) return
    // Reading on would only drop what has to be read again.
    this.#reading = false
    this.#options.pause()
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
    const { subscriptionId, arrival } = delivery.job
    const announced = this.#index.isAnnounced(subscriptionId, arrival)
    this.#bodies.forget(delivery)
    this.#index.remove(subscriptionId, arrival)
    this.#options.relocate(delivery, announced)
  }
}

type Next = { kind: 'none' } | { kind: 'wait' } | { kind: 'read'; offset: number | undefined }
