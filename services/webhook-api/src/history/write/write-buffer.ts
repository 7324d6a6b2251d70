import type { Position } from '@surehook/kafka/consumer/read-ahead-consumer'
import { partitionKey } from '@surehook/kafka/topics/partition-key'
import type { BudgetShare, MemoryBudget } from '@surehook/service-kit/config/memory-budget'
import type { LogItem } from './delivery-projection.ts'

/** One partition of a topic. There may be tens of thousands of items: nobody looks at all of them at once. */
type Reading = {
  /** Behind the last message read. */
  read: Position
  /** Bytes of the jobs that wait for their first transition. */
  waiting: number
  /** Everything that is read and not written. */
  readonly share: BudgetShare
  /** The same, in the order of the offsets. */
  readonly open: Set<Held>
  /** What waits for its first transition: the oldest first. */
  readonly jobs: Set<Entry>
}

/** An item until it is written. */
export type Held = { readonly item: LogItem; readonly offset: number; readonly of: Reading }
/** What is held of a delivery, and among whom it waits. */
type Entry = {
  readonly deliveryId: string
  readonly held: Held[]
  readonly since: number
  queue: Set<Entry>
}

/** What is held of an item besides its texts. */
const itemBytes = 600

/** A job waits so long for its first transition where few wait, so that it is seen at once. */
const shortestHoldMs = 300
/** Where its partition is far ahead of who attempts: written before, the row would be written twice. */
const longestHoldMs = 30_000
/** From so much on of what may wait. */
const shareOfLongestHold = 0.1
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
  #due = new Set<Entry>()
  /** First transitions that wait for their job: the oldest first. */
  #lonely = new Set<Entry>()
  /** By topic and partition. */
  #readings = new Map<string, Reading>()
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
        entry = { deliveryId, held: [], since: now, queue: of.jobs }
        this.#entries.set(deliveryId, entry)
      }
      const held = { item, offset: Number(item.offset), of }
      entry.held.push(held)
      of.open.add(held)
      of.share.add(bytesOf(item))
      of.waiting += waitingBytesOf(item)
      this.#queue(entry, this.#queueOf(entry, held))
    }
  }

  /**
   * What is to be written now, by delivery: what has moved, and jobs that waited long enough. It counts
   * as held until it is `written`.
   */
  take(now: number): Held[][] {
    const due = [...this.#due, ...waitedFor(this.#lonely, now - jobWaitMs)]
    for (const reading of this.#readings.values()) {
      due.push(...waitedFor(reading.jobs, now - this.#holdMs(reading)))
    }
    for (const entry of due) {
      entry.queue.delete(entry)
      this.#entries.delete(entry.deliveryId)
      if (entry.held.every(({ item }) => item.job === null)) this.#remember(entry.deliveryId)
      for (const { item, of } of entry.held) of.waiting -= waitingBytesOf(item)
    }
    return due.map(({ held }) => held)
  }

  written(items: readonly Held[]): void {
    for (const held of items) {
      const { item, of } = held
      if (of.open.delete(held)) of.share.release(bytesOf(item))
    }
  }

  /** How long until there may be something to take, unless something comes meanwhile. */
  get waitMs(): number {
    if (this.#due.size > 0) return 0
    return this.#entries.size > 0 ? lookEveryMs : longestHoldMs
  }

  /** Up to where everything of each partition is written. */
  positions(): Position[] {
    return [...this.#readings.values()].map(({ read, open }) => {
      const [first] = open
      return { ...read, offset: first?.offset ?? read.offset }
    })
  }

  clear(): void {
    for (const { share, open } of this.#readings.values()) {
      share.close()
      open.clear()
    }
    this.#entries = new Map()
    this.#due = new Set()
    this.#lonely = new Set()
    this.#readings = new Map()
  }

  #queue(entry: Entry, queue: Set<Entry>): void {
    if (entry.queue !== queue) entry.queue.delete(entry)
    entry.queue = queue
    queue.add(entry)
  }

  #queueOf({ deliveryId, held, queue }: Entry, { item }: Held): Set<Entry> {
    if (queue === this.#due) return queue
    if (item.job !== null) {
      const hasMoved = held.length > 1 ? queue === this.#lonely : this.#moved.delete(deliveryId)
      return hasMoved ? this.#due : queue
    }
    const isLonely = item.transition.step <= 1 && held.every((other) => other.item.job === null)
    return isLonely ? this.#lonely : this.#due
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
    const share = this.#limits.budget.open()
    const reading: Reading = { read, waiting: 0, share, open: new Set(), jobs: new Set() }
    this.#readings.set(key, reading)
    return reading
  }

  #holdMs(reading: Reading): number {
    const share = this.#waitingShare(reading) / shareOfLongestHold
    return shortestHoldMs + longestHoldMs * Math.min(1, share) ** 2
  }

  #waitingShare = ({ waiting }: Reading): number => waiting / this.#limits.waitingBytes
}

/** Those that are there since then. */
function waitedFor(queue: ReadonlySet<Entry>, since: number): Entry[] {
  const waited: Entry[] = []
  for (const entry of queue) {
    if (entry.since > since) break
    waited.push(entry)
  }
  return waited
}

export function bytesOf({ job, transition }: LogItem): number {
  if (job !== null) return itemBytes + (job.body?.length ?? 0)
  return itemBytes + (transition.answer?.length ?? 0) + (transition.errorMessage?.length ?? 0)
}

/** Transitions wait for nothing, and let jobs go: they stop no partition from being read. */
const waitingBytesOf = (item: LogItem): number => (item.job === null ? 0 : bytesOf(item))
