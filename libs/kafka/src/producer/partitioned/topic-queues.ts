import { UnsendableError } from '../unsendable-error.ts'
import type { Entry } from './entry.ts'
import { partitionOf } from './partition-of.ts'
import { PartitionQueue } from './partition-queue.ts'

/** The queues of one topic, and the records that wait until its partitions are known. */
export class TopicQueues {
  readonly topic: string
  readonly #queues = new Map<number, PartitionQueue>()
  #unrouted: Entry[] = []
  #turn = 0

  constructor(topic: string) {
    this.topic = topic
  }

  /** Number of records whose partition is unknown. */
  get unrouted(): number {
    return this.#unrouted.length
  }

  /** Size of all unacknowledged records in bytes. */
  get bytes(): number {
    let sum = this.#unrouted.reduce((of, { bytes }) => of + bytes, 0)
    for (const { bytes } of this.#queues.values()) sum += bytes
    return sum
  }

  /**
   * @param partitions number of partitions of the topic, or 0 while unknown
   * @returns the queue of the record, or `null` when no partition is known or the record was
   *   refused
   */
  add(entry: Entry, partitions: number): PartitionQueue | null {
    if (partitions === 0 || this.#unrouted.length > 0) {
      this.#unrouted.push(entry)
      return null
    }
    return this.#route(entry, partitions)
  }

  /** Puts earlier records before the waiting ones, which keeps the order of each partition. */
  putBack(entries: readonly Entry[]): void {
    this.#unrouted = [...entries, ...this.#unrouted]
  }

  /** Routes the waiting records once the partitions are known. */
  routeAll(partitions: number): Set<PartitionQueue> {
    const entries = this.drainUnrouted()
    const queues = entries.map((entry) => this.#route(entry, partitions))
    return new Set(queues.filter((queue) => queue !== null))
  }

  drain(): Entry[] {
    const routed = [...this.#queues.values()].flatMap((queue) => queue.drain())
    return [...routed, ...this.drainUnrouted()]
  }

  drainUnrouted(): Entry[] {
    const entries = this.#unrouted
    this.#unrouted = []
    return entries
  }

  /** Removes a partition of a topic that was recreated with fewer. */
  remove({ partition }: PartitionQueue): void {
    this.#queues.delete(partition)
  }

  #route(entry: Entry, partitions: number): PartitionQueue | null {
    const partition = this.#choose(entry, partitions)
    if (!(partition >= 0 && partition < partitions)) {
      const message = `Topic ${this.topic} has no partition ${partition}`
      entry.call.refused(new UnsendableError(message))
      return null
    }
    const queue = this.#queues.get(partition) ?? new PartitionQueue(this.topic, partition)
    this.#queues.set(partition, queue)
    queue.add(entry)
    return queue
  }

  #choose({ message: { partition, key } }: Entry, partitions: number): number {
    if (partition !== undefined) return partition
    if (key !== null && key !== undefined) return partitionOf(key, partitions)
    this.#turn += 1
    return this.#turn % partitions
  }
}
