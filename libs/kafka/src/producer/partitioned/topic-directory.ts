import { partitionsKnownForMs } from '../../topics/partition-lease.ts'
import type { Entry } from './entry.ts'
import type { PartitionQueue } from './partition-queue.ts'
import type { ProduceConnection } from './produce-connection.ts'
import { errorOfCode, outcomeOf } from './produce-outcome.ts'
import { TopicQueues } from './topic-queues.ts'
import type { UnavailablePartitions } from './unavailable-partitions.ts'

export type DirectoryOptions = {
  connection: ProduceConnection
  unavailable: UnavailablePartitions
  /** Called when a queue has records. */
  ready: (queue: PartitionQueue) => void
  /** Called for entries that Kafka never accepts. */
  refuse: (entries: readonly Entry[], err: Error) => void
  wait: (tries: number) => Promise<void>
  stopping: AbortSignal
}

const refreshEveryMs = 200
/** Refreshes old metadata even without a failure, because a topic may have gained partitions. */
const oldAfterMs = partitionsKnownForMs / 2
const leaderNotAvailable = 5

/** Finds the queue of a record, once Kafka has returned the partitions of its topic. */
export class TopicDirectory {
  readonly #options: DirectoryOptions
  readonly #topics = new Map<string, TopicQueues>()
  readonly #lookedUp = new Set<TopicQueues>()
  #refreshedAt = performance.now()

  constructor(options: DirectoryOptions) {
    this.#options = options
  }

  get queuedBytes(): number {
    let sum = 0
    for (const topic of this.#topics.values()) sum += topic.bytes
    return sum
  }

  add(entry: Entry): void {
    const topic = this.#topics.get(entry.topic) ?? new TopicQueues(entry.topic)
    this.#topics.set(entry.topic, topic)
    const { connection } = this.#options
    const isOld = connection.knownForMs > partitionsKnownForMs
    const queue = topic.add(entry, isOld ? 0 : connection.partitionCount(entry.topic))
    if (queue !== null) this.#options.ready(queue)
    else if (topic.unrouted > 0 && !topic.isGrowing) void this.#lookUp(topic)
  }

  /** Node of the queue's leader, or -1 if there is none. */
  leaderOf({ topic, partition }: PartitionQueue): number {
    return this.#options.connection.leaderOf(topic, partition)
  }

  whyLeaderless({ topic }: PartitionQueue): Error {
    return errorOfCode(this.#options.connection.errorOf(topic) || leaderNotAvailable)
  }

  /** Refreshes the leaders in the background. The next try uses the result, or a later one. */
  refresh(): void {
    this.#refreshAfter(refreshEveryMs)
  }

  refreshWhenOld(): void {
    this.#refreshAfter(oldAfterMs)
  }

  #refreshAfter(ms: number): void {
    if (performance.now() - this.#refreshedAt < ms) return
    this.#refreshedAt = performance.now()
    // The requests on a failed connection report it.
    this.#options.connection.refresh().catch(() => undefined)
  }

  /**
   * Reroutes the records of a partition that no longer exists because the topic was recreated with
   * fewer.
   * @returns true if the partition is gone
   */
  moveIfGone(queue: PartitionQueue): boolean {
    const { connection, ready } = this.#options
    const partitions = connection.partitionCount(queue.topic)
    const topic = this.#topics.get(queue.topic)
    if (topic === undefined || partitions === 0 || queue.partition < partitions) return false
    topic.remove(queue)
    topic.putBack(queue.drain())
    for (const other of topic.routeAll(partitions)) ready(other)
    return true
  }

  /** Routes records that waited until all earlier ones of their topic were acknowledged. */
  acknowledged({ topic: name }: PartitionQueue): void {
    const topic = this.#topics.get(name)
    if (topic === undefined || topic.unrouted === 0 || this.#lookedUp.has(topic)) return
    for (const queue of topic.routeAll(this.#options.connection.partitionCount(name)))
      this.#options.ready(queue)
  }

  drain(): Entry[] {
    return [...this.#topics.values()].flatMap((topic) => topic.drain())
  }

  /** Waits without limit until Kafka has the topic, because its records were accepted. */
  async #lookUp(topic: TopicQueues): Promise<void> {
    if (this.#lookedUp.has(topic)) return
    this.#lookedUp.add(topic)
    const { unavailable, stopping, wait } = this.#options
    const unknown = { topic: topic.topic, partition: null }
    for (let tries = 1; !stopping.aborted; tries++) {
      const err = await this.#learn(topic)
      if (err === null) break
      unavailable.failed(unknown, { err, tries })
      await wait(tries)
    }
    unavailable.recovered(unknown)
    this.#lookedUp.delete(topic)
  }

  /**
   * @returns the reason why the topic's partitions are unknown, or `null` when its records need not
   *   wait
   */
  async #learn(topic: TopicQueues): Promise<Error | null> {
    const { connection, ready, refuse } = this.#options
    try {
      await connection.learn(topic.topic)
    } catch (err) {
      return err instanceof Error ? err : new Error(String(err))
    }
    const partitions = connection.partitionCount(topic.topic)
    if (partitions > 0) {
      for (const queue of topic.routeAll(partitions)) ready(queue)
      return null
    }
    const code = connection.errorOf(topic.topic) || leaderNotAvailable
    const outcome = outcomeOf(code)
    if (outcome.kind !== 'unsendable') return errorOfCode(code)
    refuse(topic.drainUnrouted(), outcome.error)
    return null
  }
}
