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
  /** The deliveries of which the job or the first transition waits for the other, oldest first. */
  readonly queue: Set<Entry>
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

/**
 * How long a job and its first transition wait for each other if few jobs wait. They are on two
 * topics; written together, they cost one write, and a delivery shown as delivered has its body.
 */
const shortestHoldMs = 300
/**
 * How much longer a job waits if its partition is ahead of the dispatcher: written earlier, the row
 * would be written twice.
 */
const longerHoldMs = 30_000
/** Jobs wait for the longest time once this share of the limit is in use. */
const shareOfLongestHold = 0.1
const lookEveryMs = 100
const idleMs = 30_000

export type TopicPartition = { topic: string; partition: number }

export type HeldLimits = {
  /** The limit for a partition's waiting jobs: with more, the oldest are written. */
  waitingBytes: number
  /** The limit over all partitions for everything that was read and not written. */
  budget: MemoryBudget
}

/**
 * Holds what was read and not written, by delivery. Most deliveries are attempted right after their
 * job was read. A job waits for that, so that its delivery is written once, with its final status.
 * A process reads the same partitions of both topics, so both come here.
 */
export class WriteBuffer {
  readonly #limits: HeldLimits
  #entries = new Map<string, Entry>()
  #due = new Set<Entry>()
  /** By topic and partition. */
  #readings = new Map<string, Reading>()

  constructor(limits: HeldLimits) {
    this.#limits = limits
  }

  /** Returns whether the partition must not be read for now. */
  mustPause(place: TopicPartition): boolean {
    return this.#readings.get(partitionKey(place))?.share.mustPause ?? false
  }

  mayResume(place: TopicPartition): boolean {
    return this.#readings.get(partitionKey(place))?.share.mayResume ?? true
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
      const held = { item, offset: Number(item.offset), of }
      of.open.add(held)
      of.share.add(bytesOf(item))
      of.waiting += waitingBytesOf(item)
      const { deliveryId } = item.job ?? item.transition
      const known = this.#entries.get(deliveryId)
      if (known !== undefined) {
        known.held.push(held)
        this.#queue(known, this.#due)
        continue
      }
      const entry = { deliveryId, held: [held], since: now, queue: of.queue }
      this.#entries.set(deliveryId, entry)
      this.#queue(entry, mayWait(item) ? of.queue : this.#due)
    }
  }

  /**
   * Takes the items to write now, by delivery: those that waited for each other, and those that
   * have waited long enough. They count as held until `written`.
   */
  take(now: number): BufferedItem[][] {
    const due = [...this.#due]
    for (const entry of due) this.#leave(entry)
    for (const reading of this.#readings.values()) {
      const since = now - this.#holdMs(reading)
      for (const entry of reading.queue) {
        if (entry.since > since && reading.waiting <= this.#limits.waitingBytes) break
        this.#leave(entry)
        due.push(entry)
      }
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
    return this.#entries.size > 0 ? lookEveryMs : idleMs
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
    this.#readings = new Map()
  }

  #queue(entry: Entry, queue: Set<Entry>): void {
    if (entry.queue !== queue) entry.queue.delete(entry)
    entry.queue = queue
    queue.add(entry)
  }

  #leave(entry: Entry): void {
    entry.queue.delete(entry)
    this.#entries.delete(entry.deliveryId)
    for (const { item, of } of entry.held) of.waiting -= waitingBytesOf(item)
  }

  #readingOf(read: Position): Reading {
    const key = partitionKey(read)
    const known = this.#readings.get(key)
    if (known !== undefined) return known
    const share = this.#limits.budget.open()
    const reading: Reading = { read, waiting: 0, share, open: new Set(), queue: new Set() }
    this.#readings.set(key, reading)
    return reading
  }

  #holdMs({ waiting }: Reading): number {
    const share = waiting / (this.#limits.waitingBytes * shareOfLongestHold)
    return shortestHoldMs + longerHoldMs * Math.min(1, share) ** 2
  }
}

/** The job of a later transition was written long ago. */
const mayWait = ({ transition }: LogItem) => transition === null || transition.step <= 1

export function bytesOf({ job, transition }: LogItem): number {
  if (job !== null) return itemBytes + (job.body?.length ?? 0)
  return itemBytes + (transition.answer?.length ?? 0) + (transition.errorMessage?.length ?? 0)
}

/** Transitions do not count, because a first one never waits for long, and releases its job. */
const waitingBytesOf = (item: LogItem): number => (item.job === null ? 0 : bytesOf(item))
