import type { Position } from '@surehook/kafka/consumer/read-ahead-consumer'
import { partitionKey } from '@surehook/kafka/topics/partition-key'
import type { BudgetShare, MemoryBudget } from '@surehook/service-kit/config/memory-budget'
import type { LogItem } from './delivery-projection.ts'

/**
 * One partition of a topic. It may have tens of thousands of items, so no operation visits all of
 * them.
 */
type Reading = {
  /** The offset after the last message read. */
  read: Position
  /** The bytes of jobs that wait for their first transition. */
  waiting: number
  /** The bytes of everything that was read and not written. */
  readonly share: BudgetShare
  /** The same items, by offset. */
  readonly open: Set<BufferedItem>
  /** Jobs that wait for their first transition, oldest first. */
  readonly jobs: Set<Entry>
}

/** An item that is not written yet. */
export type BufferedItem = { readonly item: LogItem; readonly offset: number; readonly of: Reading }
/** The items of one delivery, and the queue in which they wait. */
type Entry = {
  readonly deliveryId: string
  readonly held: BufferedItem[]
  readonly since: number
  queue: Set<Entry>
}

/** The approximate memory of an item without its texts. */
const itemBytes = 600

/** How long a job waits for its first transition if few wait, so that it becomes visible soon. */
const shortestHoldMs = 300
/**
 * How long a job waits if its partition is far ahead of the dispatcher: written earlier, the row
 * would be written twice.
 */
const longestHoldMs = 30_000
/** Jobs wait for the longest time once this share of the limit is in use. */
const shareOfLongestHold = 0.1
/**
 * How long a first transition waits for its job, which is on another topic, so that a delivery
 * shown as delivered already has its body.
 */
const jobWaitMs = 500
const lookEveryMs = 100
/**
 * How many deliveries are remembered whose transitions were written before their job was read, as
 * when both topics are caught up on.
 */
const rememberedTransitions = 100_000

export type TopicPartition = { topic: string; partition: number }

export type HeldLimits = {
  /** The limit for a partition's waiting jobs: more are better left on the topic for now. */
  waitingBytes: number
  /** The limit over all partitions for everything that was read and not written. */
  budget: MemoryBudget
}

/**
 * Holds what was read and not written, by delivery. Most deliveries are attempted right after their
 * job was read. A job waits for that, so that its delivery is written once, with its final status.
 */
export class WriteBuffer {
  readonly #limits: HeldLimits
  #entries = new Map<string, Entry>()
  #due = new Set<Entry>()
  /** First transitions that wait for their job, oldest first. */
  #lonely = new Set<Entry>()
  /** By topic and partition. */
  #readings = new Map<string, Reading>()
  /** The ids of deliveries whose jobs need not wait for a transition. */
  readonly #moved = new Set<string>()

  constructor(limits: HeldLimits) {
    this.#limits = limits
  }

  /** Returns whether the partition must not be read for now. */
  mustPause(place: TopicPartition): boolean {
    const reading = this.#readings.get(partitionKey(place))
    return reading !== undefined && (this.#waitingShare(reading) >= 1 || reading.share.mustPause)
  }

  mayResume(place: TopicPartition): boolean {
    const reading = this.#readings.get(partitionKey(place))
    return reading === undefined || (this.#waitingShare(reading) <= 0.5 && reading.share.mayResume)
  }

  /**
   * @param read the partition of the items and the offset up to which it was read
   * @param now from `performance.now()`, as in `take`. By the wall clock, jobs would wait an hour
   * longer if it was set back by an hour
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
   * Takes the items to write now, by delivery: transitions, and jobs that have waited long enough.
   * They count as held until `written`.
   */
  take(now: number): BufferedItem[][] {
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

  written(items: readonly BufferedItem[]): void {
    for (const held of items) {
      const { item, of } = held
      if (of.open.delete(held)) of.share.release(bytesOf(item))
    }
  }

  /** The milliseconds until `take` may return something, unless new items arrive. */
  get waitMs(): number {
    if (this.#due.size > 0) return 0
    return this.#entries.size > 0 ? lookEveryMs : longestHoldMs
  }

  /** Returns the offset of each partition up to which everything is written. */
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

  #queueOf({ deliveryId, held, queue }: Entry, { item }: BufferedItem): Set<Entry> {
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

/** Returns the entries that wait since `since` or longer. */
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

/**
 * Transitions do not count, because they do not wait and release waiting jobs. They never pause a
 * partition.
 */
const waitingBytesOf = (item: LogItem): number => (item.job === null ? 0 : bytesOf(item))
