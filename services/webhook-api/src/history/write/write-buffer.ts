import type { Position } from '@surehook/kafka/consumer/read-ahead-consumer'
import { partitionKey } from '@surehook/kafka/topics/partition-key'
import type { BudgetShare, MemoryBudget } from '@surehook/service-kit/config/memory-budget'
import type { LogItem } from './delivery-projection.ts'

/** One partition of a topic. There may be tens of thousands of items, and they are looked at ten times a second. */
type Reading = {
  /** Behind the last message read. */
  read: Position
  /** Bytes of the jobs that wait for their first transition. */
  waiting: number
  /** Everything that is read and not written. */
  readonly share: BudgetShare
}

/** An item until it is written. */
export type Held = { readonly item: LogItem; readonly offset: number; readonly of: Reading }
type Entry = { readonly held: Held[]; readonly since: number; ready: boolean }

/** What is held of an item besides its texts. */
const itemBytes = 600

/** A job waits so long for its first transition where few wait, so that it is seen at once. */
const shortestHoldMs = 200
/** Where its partition holds as much as it may: then it is far ahead of who attempts. */
const longestHoldMs = 30_000
/** A first transition waits so long for its job, of another topic: what is shown as delivered has its bytes then. */
const jobWaitMs = 500
const lookEveryMs = 100
/** Deliveries whose transitions were written before their job was read, as when both topics are caught up on. */
const rememberedTransitions = 100_000

export type Place = { topic: string; partition: number }

export type HeldLimits = {
  /** Of the jobs of a partition that wait: what it has more of is better left on its topic for now. */
  waitingBytes: number
  /** For all partitions together, everything that is read and not written. */
  budget: MemoryBudget
}

/**
 * What was read and is not written yet, by delivery. Most deliveries are attempted right after their job was
 * read: a job waits for that, so that a delivery is written once, in the state in which it stays.
 */
export class WriteBuffer {
  readonly #limits: HeldLimits
  #entries = new Map<string, Entry>()
  /** What `take` gave out and nobody has said to be written. */
  #taken = new Set<Held>()
  /** By topic and partition. */
  #readings = new Map<string, Reading>()
  #ready = 0
  /** Ids of deliveries: their jobs wait for no transition. */
  readonly #moved = new Set<string>()

  constructor(limits: HeldLimits) {
    this.#limits = limits
  }

  /** Whether reading of a partition must pause. */
  mustPause(place: Place): boolean {
    const reading = this.#readings.get(partitionKey(place))
    return reading !== undefined && (this.#waitingShare(reading) >= 1 || reading.share.mustPause)
  }

  mayResume(place: Place): boolean {
    const reading = this.#readings.get(partitionKey(place))
    return reading === undefined || (this.#waitingShare(reading) <= 0.5 && reading.share.mayResume)
  }

  /**
   * @param read the place of all of them, and behind which message it was read
   * @param now of `performance.now()`, as that of `take`: a clock that is set back would hold jobs for as long
   */
  add(items: readonly LogItem[], read: Position, now: number): void {
    const of = this.#readingOf(read)
    of.read = read
    for (const item of items) {
      const { deliveryId } = item.job ?? item.transition
      let entry = this.#entries.get(deliveryId)
      if (entry === undefined) {
        entry = { held: [], since: now, ready: false }
        this.#entries.set(deliveryId, entry)
      }
      entry.held.push({ item, offset: Number(item.offset), of })
      of.share.add(bytesOf(item))
      of.waiting += waitingBytesOf(item)
      if (item.transition !== null || this.#moved.delete(deliveryId)) this.#markReady(entry)
    }
  }

  /**
   * What is to be written now, by delivery: what has moved, and jobs that waited long enough. It counts
   * as held until it is `written`.
   */
  take(now: number): Held[][] {
    const due: Held[][] = []
    for (const [deliveryId, entry] of this.#entries) {
      if (now - entry.since < this.#holdMs(entry)) continue
      this.#entries.delete(deliveryId)
      if (entry.ready) this.#ready--
      if (entry.held.every(({ item }) => item.job === null)) this.#remember(deliveryId)
      due.push(entry.held)
    }
    for (const held of due.flat()) {
      held.of.waiting -= waitingBytesOf(held.item)
      this.#taken.add(held)
    }
    return due
  }

  written(items: readonly Held[]): void {
    for (const held of items) {
      if (this.#taken.delete(held)) held.of.share.release(bytesOf(held.item))
    }
  }

  /** How long until there may be something to take, unless something comes meanwhile. */
  get waitMs(): number {
    if (this.#ready > 0) return 0
    return this.#entries.size > 0 ? lookEveryMs : longestHoldMs
  }

  /** Up to where everything of each partition is written. */
  positions(): Position[] {
    const readings = [...this.#readings.values()]
    const low = new Map(readings.map((reading) => [reading, reading.read.offset]))
    const lower = ({ of, offset }: Held) => {
      if (offset < (low.get(of) ?? 0)) low.set(of, offset)
    }
    for (const { held } of this.#entries.values()) held.forEach(lower)
    this.#taken.forEach(lower)
    return readings.map((of) => ({ ...of.read, offset: low.get(of) ?? of.read.offset }))
  }

  clear(): void {
    for (const { share } of this.#readings.values()) share.close()
    this.#entries = new Map()
    this.#taken = new Set()
    this.#readings = new Map()
    this.#ready = 0
  }

  #markReady(entry: Entry): void {
    if (!entry.ready) this.#ready++
    entry.ready = true
  }

  #remember(deliveryId: string): void {
    this.#moved.add(deliveryId)
    if (this.#moved.size <= rememberedTransitions) return
    for (const oldest of this.#moved) {
      this.#moved.delete(oldest)
      return
    }
  }

  #readingOf(read: Position): Reading {
    const key = partitionKey(read)
    const known = this.#readings.get(key)
    if (known !== undefined) return known
    const reading = { read, waiting: 0, share: this.#limits.budget.open() }
    this.#readings.set(key, reading)
    return reading
  }

  #holdMs({ held, ready }: Entry): number {
    if (ready) {
      return held.some(({ item: { job, transition } }) => job !== null || transition.step > 1)
        ? 0
        : jobWaitMs
    }
    const [first] = held
    const share = first === undefined ? 0 : Math.min(1, this.#waitingShare(first.of))
    return shortestHoldMs + longestHoldMs * share ** 2
  }

  #waitingShare = ({ waiting }: Reading): number => waiting / this.#limits.waitingBytes
}

export function bytesOf({ job, transition }: LogItem): number {
  if (job !== null) return itemBytes + (job.body?.length ?? 0)
  return itemBytes + (transition.answer?.length ?? 0) + (transition.errorMessage?.length ?? 0)
}

/** Transitions wait for nothing, and let jobs go: they stop no partition from being read. */
const waitingBytesOf = (item: LogItem): number => (item.job === null ? 0 : bytesOf(item))
