import type { Delivery } from '../../delivery/delivery.ts'
import { MinHeap } from './min-heap.ts'
import { type PausedPosition, PausedRun, type PlacingOptions, type Scan } from './paused-run.ts'

/** A delivery whose body is in memory until its release. */
export type BufferedDelivery = PausedPosition & {
  delivery: Delivery
  run: PausedRun | null
  gone?: boolean
}
/** A delivery that is out of order on the topic. */
type UnorderedDelivery = PausedPosition & { gone?: boolean; dueAt: number }
/** A delivery that is being written to the topic, or was not read there yet. */
type UnreadDelivery = { arrival: number; gone?: boolean }

/**
 * The position of a delivery on the topic. Runs in different parts of the topic are independent.
 */
export type RunLocation = { part: number; run: number; scan: Scan }

/**
 * The next delivery: in memory, to be read at `offset`, not due yet (epoch ms), or still being
 * written to the topic.
 */
export type NextDelivery =
  | { kind: 'none' }
  | { kind: 'later'; dueAt: number }
  | { kind: 'kept'; delivery: Delivery }
  | { kind: 'read'; offset: number }
  | { kind: 'written' }

/** The most runs of a subscription: deliveries that are moved after that count as out of order. */
const mostRuns = 16

/** How many bodies are read ahead of their release. Those of a group leave one after another. */
const ahead = 512
const aheadInGroup = 8

/**
 * The paused deliveries of a subscription, or of its record or group, in order of arrival.
 * Memory holds the ranges of a few runs, the positions of the deliveries out of order, and the next
 * few bodies. At most as many deliveries are out of order as were in flight.
 */
export class PausedQueue {
  readonly id: string
  readonly subscriptionId: string
  /** The group of its record or records, which keep their order; null if it has all records. */
  readonly group: number | null
  /** Identified by the part of the topic and the number that their writer gave them. */
  readonly #runs: PausedRun[] = []
  readonly #partOf = new Map<PausedRun, number>()
  readonly #loose = new MinHeap<UnorderedDelivery>()
  readonly #looseAt = new Map<number, UnorderedDelivery>()
  readonly #kept = new MinHeap<BufferedDelivery>()
  readonly #keptAt = new Map<number, BufferedDelivery>()
  readonly #written = new MinHeap<UnreadDelivery>()
  readonly #writtenAs = new Map<string, UnreadDelivery>()

  constructor({ id, subscriptionId, group }: Pick<PausedQueue, 'id' | 'subscriptionId' | 'group'>) {
    this.id = id
    this.subscriptionId = subscriptionId
    this.group = group
  }

  /** The number of bodies in memory. */
  get kept(): number {
    return this.#keptAt.size
  }

  /** True if more bodies may be read ahead. */
  get readsAhead(): boolean {
    return this.kept < (this.group === null ? ahead : aheadInGroup)
  }

  /**
   * Returns whether the body may be kept: few are, unless it comes first or is a copy of the first.
   */
  mayKeep(arrival: number): boolean {
    if (this.group === null || this.readsAhead) return true
    return arrival <= (this.#kept.peek()?.arrival ?? Number.POSITIVE_INFINITY)
  }

  /** The number of ranges, positions and bodies in memory. */
  get places(): number {
    const stretches = this.#runs.reduce((sum, run) => sum + run.stretches, 0)
    return stretches + this.#looseAt.size + this.#writtenAs.size + this.#keptAt.size
  }

  get isEmpty(): boolean {
    const held = this.#keptAt.size + this.#looseAt.size + this.#writtenAs.size
    return held === 0 && this.#runs.every((run) => run.isRead)
  }

  /** Call it before a delivery is written. Later ones wait behind it from now on. */
  expect(arrival: number, step: number): void {
    const written = { arrival }
    this.#forget(this.#writtenAs, writtenAs(arrival, step))
    this.#writtenAs.set(writtenAs(arrival, step), written)
    this.#written.push(written)
  }

  /** @returns false if it is not expected, because it was read on the topic */
  unexpect(arrival: number, step: number): boolean {
    return this.#forget(this.#writtenAs, writtenAs(arrival, step))
  }

  /**
   * Returns the run that a moved delivery continues at the end of the topic; 0 if there are too
   * many runs.
   */
  runFor(arrival: number): number {
    const ids = this.#runs.map(({ id }) => id)
    const before = this.#runs.filter(({ id, lastArrival }) => id > 0 && lastArrival < arrival)
    const best = before.toSorted((a, b) => b.lastArrival - a.lastArrival)[0]
    if (best !== undefined) return best.id
    const next = Math.max(0, ...ids) + 1
    return next < mostRuns ? next : 0
  }

  /**
   * Adds a delivery that was read for the first time.
   * @returns the run whose next delivery it is; `null` if it is out of order; undefined if others
   * come first
   */
  place(
    at: PausedPosition,
    { part, run: id, ...how }: RunLocation & PlacingOptions,
  ): PausedRun | null | undefined {
    const run = this.#runOf(id, part)
    const placed = run.place(at, how)
    if (placed === 'broken') {
      this.putBack(at)
      return null
    }
    return placed === 'next' ? run : undefined
  }

  /** Marks the delivery as out of order, so that it is read again at its position. */
  putBack({ arrival, offset }: PausedPosition, dueAt = 0): void {
    const known = this.#looseAt.get(offset)
    if (known !== undefined) {
      known.dueAt = dueAt
      return
    }
    const loose = { arrival, offset, dueAt }
    this.#looseAt.set(offset, loose)
    this.#loose.push(loose)
  }

  /** Forgets due times, so that the deliveries are read and decided again. */
  forgetDueTimes(): void {
    for (const loose of this.#looseAt.values()) loose.dueAt = 0
  }

  /**
   * Returns the run whose next delivery it is; `null` if it is out of order; undefined if it must
   * not be taken now.
   */
  ownerOf(at: PausedPosition, { part, run: id, scan }: RunLocation): PausedRun | null | undefined {
    if (this.#keptAt.has(at.offset)) return undefined
    if (this.#looseAt.has(at.offset)) return null
    const run = this.#knownRun(id, part)
    return run?.isNext(at, scan) ? run : undefined
  }

  /** Keeps the body until its release. */
  keep(delivery: Delivery, run: PausedRun | null): void {
    const at = positionOf(delivery)
    if (run === null) this.#forget(this.#looseAt, at.offset)
    else run.read(at)
    const kept = { ...at, delivery, run }
    this.#keptAt.set(at.offset, kept)
    this.#kept.push(kept)
  }

  /** Removes a delivery that has left the topic or is about to. */
  remove(offset: number): Delivery | undefined {
    this.#forget(this.#looseAt, offset)
    const kept = this.#keptAt.get(offset)
    this.#forget(this.#keptAt, offset)
    return kept?.delivery
  }

  next(scan: Scan): NextDelivery {
    const kept = this.#kept.peek()
    const [arrival, source] = this.#firstUnread(scan)
    if (kept !== undefined && kept.arrival < arrival)
      return { kind: 'kept', delivery: kept.delivery }
    return source
  }

  /** Returns true if the first delivery has no body in memory and later ones do. */
  keepsInVain(scan: Scan): boolean {
    const [unread] = this.#firstUnread(scan)
    const kept = this.#kept.peek()
    return kept !== undefined && kept.arrival > unread
  }

  /** Returns a lower bound for the arrivals of its deliveries. */
  leastArrival(scan: Scan): number {
    const [unread] = this.#firstUnread(scan)
    return Math.min(unread, this.#kept.peek()?.arrival ?? Number.POSITIVE_INFINITY)
  }

  /** Returns the offset of the first unread delivery, if there is one. */
  unreadAt(scan: Scan): number | undefined {
    const [, source] = this.#firstUnread(scan)
    return source.kind === 'read' ? source.offset : undefined
  }

  /** Removes and returns the next delivery, with other copies of it. */
  take(): { delivery: Delivery; copies: Delivery[] } | undefined {
    const first = this.#pop()
    if (first === undefined) return undefined
    const same: BufferedDelivery[] = [first]
    const others: BufferedDelivery[] = []
    for (let next = this.#kept.peek(); next?.arrival === first.arrival; next = this.#kept.peek()) {
      const isCopy = next.delivery.job.deliveryId === first.delivery.job.deliveryId
      ;(isCopy ? same : others).push(this.#pop() as BufferedDelivery)
    }
    for (const other of others) {
      this.#keptAt.set(other.offset, other)
      this.#kept.push(other)
    }
    const [newest, ...copies] = same
      .map(({ delivery }) => delivery)
      .toSorted((a, b) => b.job.step - a.job.step)
    return { delivery: newest as Delivery, copies }
  }

  /** Drops the bodies, which are then read again. */
  forgetBodies(scan: Scan): Delivery[] {
    const all = [...this.#keptAt.values()].toSorted((a, b) => a.offset - b.offset)
    const byRun = Map.groupBy(all, ({ run }) => run)
    for (const [run, kept] of byRun) {
      for (const { offset } of kept) this.#forget(this.#keptAt, offset)
      if (run === null) for (const at of kept) this.putBack(at)
      else run.rewind(kept[0] as BufferedDelivery, (kept.at(-1) as BufferedDelivery).offset, scan)
    }
    return all.map(({ delivery }) => delivery)
  }

  coalesce(near: number): void {
    for (const run of this.#runs) run.coalesce(near)
  }

  #runOf(id: number, part: number): PausedRun {
    const known = this.#knownRun(id, part)
    if (known !== undefined) return known
    const run = new PausedRun(id)
    this.#runs.push(run)
    this.#partOf.set(run, part)
    return run
  }

  #knownRun(id: number, part: number): PausedRun | undefined {
    return this.#runs.find((one) => one.id === id && this.#partOf.get(one) === part)
  }

  #firstUnread(scan: Scan): [arrival: number, NextDelivery] {
    let arrival = Number.POSITIVE_INFINITY
    let next: NextDelivery = { kind: 'none' }
    const consider = (from: number | undefined, what: NextDelivery) => {
      if (from === undefined || from >= arrival) return
      arrival = from
      next = what
    }
    for (const run of this.#runs) {
      run.passedBy(scan)
      if (!run.isRead) consider(run.leastArrival, { kind: 'read', offset: run.next })
    }
    const loose = this.#loose.peek()
    if (loose !== undefined) consider(loose.arrival, readOrLater(loose))
    consider(this.#written.peek()?.arrival, { kind: 'written' })
    return [arrival, next]
  }

  #pop(): BufferedDelivery | undefined {
    const first = this.#kept.pop()
    if (first !== undefined) this.#keptAt.delete(first.offset)
    return first
  }

  #forget<K>(map: Map<K, { gone?: boolean }>, key: K): boolean {
    const entry = map.get(key)
    if (entry === undefined) return false
    entry.gone = true
    return map.delete(key)
  }
}

const readOrLater = ({ offset, dueAt }: UnorderedDelivery): NextDelivery =>
  dueAt > Date.now() ? { kind: 'later', dueAt } : { kind: 'read', offset }

export const positionOf = ({ job, message }: Delivery): PausedPosition => ({
  arrival: job.arrival,
  offset: message.offset,
})

const writtenAs = (arrival: number, step: number) => `${arrival}/${step}`
