import { UnsendableError } from '../unsendable-error.ts'
import type { Entry } from './entry.ts'
import { partitionOf } from './partition-of.ts'
import { PartitionQueue } from './partition-queue.ts'

/** The queues of one topic, and the records that wait until its partitions are known. */
export class TopicQueues {
  readonly topic: string
  readonly #queues = new Map<number, PartitionQueue>()
  #unrouted: Entry[] = []
  /** The number of partitions among which the records are divided. */
  #partitions = 0
  #isGrowing = false
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
   * @returns the queue of the record, or `null` when its partition is not known or the record was
   *   refused
   */
  add(entry: Entry, partitions: number): PartitionQueue | null {
    // A partition that is not known may have been added to the topic meanwhile.
    const isKnown = partitions > (entry.message.partition ?? 0)
    if (!isKnown || this.#unrouted.length > 0 || !this.#adopt(partitions)) {
      this.#unrouted.push(entry)
      return null
    }
    return this.#route(entry, this.#partitions)
  }

  /** Puts earlier records before the waiting ones, which keeps the order of each partition. */
  putBack(entries: readonly Entry[]): void {
    this.#unrouted = [...entries, ...this.#unrouted]
  }

  /** Routes the waiting records once the partitions are known. */
  routeAll(partitions: number): Set<PartitionQueue> {
    if (!this.#adopt(partitions)) return new Set()
    const entries = this.drainUnrouted()
    const queues = entries.map((entry) => this.#route(entry, this.#partitions))
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
    this.#partitions = 0
  }

  /** True while records wait until all earlier ones are acknowledged. */
  get isGrowing(): boolean {
    return this.#isGrowing
  }

  /**
   * Adopts a larger number of partitions when nothing is on its way: a record must not overtake an
   * earlier one of its key that is still sent to another partition.
   * @returns false if records have to wait for that
   */
  #adopt(partitions: number): boolean {
    // A broker that is behind the others tells an earlier number.
    if (partitions <= this.#partitions) return true
    const isOnWay = this.#queues.values().some(({ bytes }) => bytes > 0)
    this.#isGrowing = this.#partitions > 0 && isOnWay
    if (!this.#isGrowing) this.#partitions = partitions
    return !this.#isGrowing
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
