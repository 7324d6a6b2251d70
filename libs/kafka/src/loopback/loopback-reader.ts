import {
  askBroker,
  type Batch,
  batchOf,
  type ConsumerGroup,
  type FetchSource,
  openFetchSource,
} from '../kafkajs-patches/fetching/fetch-sources.ts'
import { partitionKey, type TopicPartition } from '../topics/partition-key.ts'
import { LoopbackPace } from './loopback-pace.ts'
import { endOf, firstOffsetOf, listenToProduced, type ProducedBatch } from './produced-batch.ts'
import { ProducedQueue } from './produced-queue.ts'

/**
 * Milliseconds between two fetches of a reader that takes its records from memory. A record of
 * another process waits at most this long. The reader then fetches as usual for a second.
 */
const fetchEveryMs = 100

/**
 * Lets the group's consumers in this process take records of the topics that this process produces
 * from memory, if they begin at the consumer's position. The consumers fetch all other records.
 * Positions and commits are as without this function.
 */
export function readFromMemory(groupId: string, topics: readonly string[]): void {
  const ofGroup = new Set(topics)
  openFetchSource(groupId, (consumerGroup) => new LoopbackReader(consumerGroup, ofGroup))
}

/** Takes the batches of one consumer that this process produced. */
class LoopbackReader implements FetchSource {
  readonly #group: ConsumerGroup
  readonly #topics: ReadonlySet<string>
  readonly #queue = new ProducedQueue()
  readonly #pace = new LoopbackPace()
  readonly #listening: Disposable
  readonly #fetchedAt = new Map<string, number>()
  readonly #waits = new Set<() => void>()

  constructor(consumerGroup: ConsumerGroup, topics: ReadonlySet<string>) {
    this.#group = consumerGroup
    this.#topics = topics
    this.#listening = listenToProduced(topics, (batch) => this.#add(batch))
  }

  [Symbol.dispose](): void {
    this.#listening[Symbol.dispose]()
    this.#endWaits()
  }

  async fetch(nodeId: string): Promise<Batch[]> {
    const dueMs = (this.#fetchedAt.get(nodeId) ?? 0) + fetchEveryMs - performance.now()
    if (dueMs <= 0) return this.#ask(nodeId, this.#isLoopback)
    const { taken, hasGap } = this.#take(nodeId)
    if (taken.length > 0) return taken
    if (hasGap || !this.#isLoopback) return this.#ask(nodeId, hasGap)
    await this.#nextBatch(dueMs)
    return this.#take(nodeId).taken
  }

  /** A consumer that was sought must fetch: kafkajs sets its position then. */
  get #isLoopback(): boolean {
    return this.#group.seekOffset.size === 0 && this.#pace.isLoopback(performance.now())
  }

  async #ask(nodeId: string, atOnce: boolean): Promise<Batch[]> {
    try {
      const batches = await askBroker(this.#group, nodeId, { atOnce })
      for (const batch of batches) this.#note(batch)
      return batches
    } finally {
      this.#fetchedAt.set(nodeId, performance.now())
    }
  }

  #note(batch: Batch): void {
    const last = batch.rawMessages.at(-1)
    if (last === undefined || !this.#topics.has(batch.topic)) return
    this.#pace.fetched(partitionKey(batch), Number(last.offset) + 1, performance.now())
  }

  #add(batch: ProducedBatch): void {
    const { cluster, offsetManager } = this.#group
    if (batch.clusterId !== cluster.brokerPool.metadata?.clusterId) return
    if (!offsetManager?.memberAssignment[batch.topic]?.includes(batch.partition)) return
    const range = { first: firstOffsetOf(batch), end: endOf(batch) }
    this.#pace.produced(partitionKey(batch), range, performance.now())
    this.#queue.add(batch)
    this.#endWaits()
  }

  #take(nodeId: string): { taken: Batch[]; hasGap: boolean } {
    const { taken, hasGap } = this.#queue.take((at) => this.#positionOf(at, nodeId))
    return { taken: taken.map(batchOf), hasGap }
  }

  /** Null: a fetch decides what is read. Undefined: another broker's fetches read the partition. */
  #positionOf({ topic, partition }: TopicPartition, nodeId: string): number | null | undefined {
    const { seekOffset, offsetManager } = this.#group
    const position = Number(offsetManager?.resolvedOffsets[topic]?.[partition] ?? -1)
    if (position < 0 || seekOffset.has(topic, partition)) return null
    if (this.#group.isPaused(topic, partition)) return null
    const byNode = this.#group.findReadReplicaForPartitions(topic, [partition])
    return byNode[nodeId] === undefined ? undefined : position
  }

  async #nextBatch(withinMs: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, withinMs)
    this.#waits.add(resolve)
    await promise
    this.#waits.delete(resolve)
    clearTimeout(timer)
  }

  #endWaits(): void {
    for (const end of this.#waits) end()
  }
}
