import type { Delivery } from '../partition/delivery.ts'
import { MinHeap } from './min-heap.ts'
import { PausedRun, type Place, type Placing, type Scan } from './paused-run.ts'

/** A delivery whose body is in memory until it is released. */
export type Kept = Place & { delivery: Delivery; run: PausedRun | null; gone?: boolean }
/** One that stands out of order on the topic. */
type Loose = Place & { gone?: boolean }
/** One that is being written to the topic, or was not read there yet. */
type Written = { arrival: number; gone?: boolean }

/** Where the topic says that a delivery stands. Runs of different parts of it have nothing to do with each other. */
export type Standing = { part: number; run: number; scan: Scan }
type Placement = Standing & Placing

/** What comes next: a delivery in memory, one to be read at `offset`, or one that is on its way to the topic. */
export type Next =
  | { kind: 'none' }
  | { kind: 'kept'; delivery: Delivery }
  | { kind: 'read'; offset: number }
  | { kind: 'written' }

/** So many times deliveries may be moved to the end of the topic before they count as out of order. */
const mostRuns = 16

/**
 * The paused deliveries of one subscription, in the order of arrival. Few runs and the deliveries out of order,
 * of which there are no more than what was in flight, are known by their places; the bodies of the next few
 * are kept.
 */
export class PausedQueue {
  /** By the part of the topic, and by the name that their writer gave them. */
  readonly #runs: PausedRun[] = []
  readonly #partOf = new Map<PausedRun, number>()
  readonly #loose = new MinHeap<Loose>()
  readonly #looseAt = new Map<number, Loose>()
  readonly #kept = new MinHeap<Kept>()
  readonly #keptAt = new Map<number, Kept>()
  readonly #written = new MinHeap<Written>()
  readonly #writtenAs = new Map<string, Written>()

  /** Number of bodies in memory. */
  get kept(): number {
    return this.#keptAt.size
  }

  /** Number of places in memory. */
  get places(): number {
    const stretches = this.#runs.reduce((sum, run) => sum + run.stretches, 0)
    return stretches + this.#looseAt.size + this.#writtenAs.size + this.#keptAt.size
  }

  get isEmpty(): boolean {
    const held = this.#keptAt.size + this.#looseAt.size + this.#writtenAs.size
    return held === 0 && this.#runs.every((run) => run.isRead)
  }

  /** A delivery is about to be written: later ones stand behind it from now on. */
  expect(arrival: number, step: number): void {
    const written = { arrival }
    this.#forget(this.#writtenAs, writtenAs(arrival, step))
    this.#writtenAs.set(writtenAs(arrival, step), written)
    this.#written.push(written)
  }

  /** @returns false when it is not expected: it was read on the topic */
  unexpect(arrival: number, step: number): boolean {
    return this.#forget(this.#writtenAs, writtenAs(arrival, step))
  }

  /** The run that what is moved to the end of the topic continues; 0 when there are too many. */
  runFor(arrival: number): number {
    const ids = this.#runs.map(({ id }) => id)
    const before = this.#runs.filter(({ id, lastArrival }) => id > 0 && lastArrival < arrival)
    const best = before.toSorted((a, b) => b.lastArrival - a.lastArrival)[0]
    if (best !== undefined) return best.id
    const next = Math.max(0, ...ids) + 1
    return next < mostRuns ? next : 0
  }

  /**
   * A delivery was read for the first time.
   * @returns the run whose next it is; null when it stands out of order; undefined when others come before it
   */
  place(at: Place, { part, run: id, ...how }: Placement): PausedRun | null | undefined {
    const run = this.#runOf(id, part)
    const placed = run.place(at, how)
    if (placed === 'broken') {
      this.putBack(at)
      return null
    }
    return placed === 'next' ? run : undefined
  }

  /** It stays at its place. */
  putBack({ arrival, offset }: Place): void {
    if (this.#looseAt.has(offset)) return
    const loose = { arrival, offset }
    this.#looseAt.set(offset, loose)
    this.#loose.push(loose)
  }

  /** The run whose next it is; null for one out of order; undefined when it is not to be taken now. */
  ownerOf(at: Place, { part, run: id, scan }: Standing): PausedRun | null | undefined {
    if (this.#keptAt.has(at.offset)) return undefined
    if (this.#looseAt.has(at.offset)) return null
    const run = this.#knownRun(id, part)
    return run?.isNext(at, scan) ? run : undefined
  }

  /** Keeps its body until it is released. */
  keep(delivery: Delivery, run: PausedRun | null): void {
    const at = placeOf(delivery)
    if (run === null) this.#forget(this.#looseAt, at.offset)
    else run.read(at)
    const kept = { ...at, delivery, run }
    this.#keptAt.set(at.offset, kept)
    this.#kept.push(kept)
  }

  /** It has gone from the topic, or is about to. */
  remove(offset: number): Delivery | undefined {
    this.#forget(this.#looseAt, offset)
    const kept = this.#keptAt.get(offset)
    this.#forget(this.#keptAt, offset)
    return kept?.delivery
  }

  next(scan: Scan): Next {
    const kept = this.#kept.peek()
    const [arrival, source] = this.#firstUnread(scan)
    if (kept !== undefined && kept.arrival < arrival)
      return { kind: 'kept', delivery: kept.delivery }
    return source
  }

  /** Where its unread deliveries begin, if it has any. */
  unreadAt(scan: Scan): number | undefined {
    const [, source] = this.#firstUnread(scan)
    return source.kind === 'read' ? source.offset : undefined
  }

  /** The next one, and other copies of it. */
  take(): { delivery: Delivery; copies: Delivery[] } | undefined {
    const first = this.#pop()
    if (first === undefined) return undefined
    const same: Kept[] = [first]
    const others: Kept[] = []
    for (let next = this.#kept.peek(); next?.arrival === first.arrival; next = this.#kept.peek()) {
      const isCopy = next.delivery.job.deliveryId === first.delivery.job.deliveryId
      ;(isCopy ? same : others).push(this.#pop() as Kept)
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

  /** Forgets the bodies; they are read again. */
  forgetBodies(scan: Scan): Delivery[] {
    const all = [...this.#keptAt.values()].toSorted((a, b) => a.offset - b.offset)
    const byRun = Map.groupBy(all, ({ run }) => run)
    for (const [run, kept] of byRun) {
      for (const { offset } of kept) this.#forget(this.#keptAt, offset)
      if (run === null) for (const at of kept) this.putBack(at)
      else run.rewind(kept[0] as Kept, (kept.at(-1) as Kept).offset, scan)
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

  #firstUnread(scan: Scan): [arrival: number, Next] {
    let arrival = Number.POSITIVE_INFINITY
    let next: Next = { kind: 'none' }
    const consider = (from: number | undefined, what: Next) => {
      if (from === undefined || from >= arrival) return
      arrival = from
      next = what
    }
    for (const run of this.#runs) {
      run.passedBy(scan)
      if (!run.isRead) consider(run.leastArrival, { kind: 'read', offset: run.next })
    }
    const loose = this.#loose.peek()
    if (loose !== undefined) consider(loose.arrival, { kind: 'read', offset: loose.offset })
    consider(this.#written.peek()?.arrival, { kind: 'written' })
    return [arrival, next]
  }

  #pop(): Kept | undefined {
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

export const placeOf = ({ job, message }: Delivery): Place => ({
  arrival: job.arrival,
  offset: message.offset,
})

const writtenAs = (arrival: number, step: number) => `${arrival}/${step}`
