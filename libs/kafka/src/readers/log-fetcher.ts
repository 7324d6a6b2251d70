import { createRequire } from 'node:module'
import { boundedBy } from '@surehook/service-kit/bounded'
import type { Logger } from 'pino'
import type { Broker, Cluster } from '../client/cluster.ts'
import type { Kafka, KafkaMessage } from '../client/surface.ts'
import { TopicCluster } from '../client/topic-cluster.ts'

/** The next offset to read of a partition. */
export type ReadPosition = { partition: number; offset: number }

export type FetchedLog = {
  partition: number
  /**
   * The messages from the requested offset on, without aborted transactions and control records.
   */
  messages: KafkaMessage[]
  /** The offset for the next fetch: the requested one if there was nothing to read. */
  next: number
}

export type FetchLimits = {
  /** A leader without new records answers after this time. */
  waitMs: number
  /** The approximate maximum that one leader sends. */
  bytes: number
}

/** The offset is outside the log: its records expired, or the log was truncated. */
export class OutOfLogError extends Error {
  override readonly name = 'OutOfLogError'
}

type FetchResponse = { responses: { partitions: PartitionData[] }[] }
type PartitionData = { partition: number; messages: KafkaMessage[] }
type FetchingBroker = Broker & { fetch(of: object): Promise<FetchResponse> }
type Batch = { readonly messages: KafkaMessage[]; readonly rawMessages: KafkaMessage[] }
type NewBatch = new (topic: string, fetchedOffset: string, of: PartitionData) => Batch

// This class drops records of aborted transactions, as a consumer does.
const BatchOf = createRequire(import.meta.url)('kafkajs/src/consumer/batch') as NewBatch
const answerWithinMs = 10_000

/**
 * Fetches a topic's partitions without a consumer group, so reading starts at once and at any
 * offset. It connects with the first fetch. A failed fetch has read nothing and may be repeated.
 */
export class LogFetcher implements AsyncDisposable {
  readonly #topic: string
  readonly #cluster: TopicCluster

  constructor({ kafka, topic, log }: { kafka: Kafka; topic: string; log: Logger }) {
    this.#topic = topic
    this.#cluster = new TopicCluster({ kafka, topics: [topic], name: 'log-fetcher', log })
  }

  /**
   * Returns the partitions by the node of their leader. Partitions without a leader are left out.
   */
  async leaders(partitions: readonly number[]): Promise<ReadonlyMap<string, readonly number[]>> {
    return this.#ask(async (cluster) => {
      await cluster.refreshMetadataIfNecessary()
      const byNode = cluster.findLeaderForPartitions(this.#topic, [...partitions])
      return new Map(Object.entries(byNode).filter(([node]) => Number(node) >= 0))
    })
  }

  /** Rejects with an `OutOfLogError`, or with an error that a repetition may cure. */
  fetch(
    node: string,
    positions: readonly ReadPosition[],
    limits: FetchLimits,
  ): Promise<FetchedLog[]> {
    const { waitMs, bytes } = limits
    const fetched = this.#ask(async (cluster) => {
      const broker = (await cluster.findBroker({ nodeId: node })) as FetchingBroker
      const maxBytes = Math.max(65_536, Math.floor(bytes / positions.length))
      const partitions = positions.map(({ partition, offset }) => ({
        ...{ partition, fetchOffset: String(offset), maxBytes },
      }))
      const topics = [{ topic: this.#topic, partitions }]
      const answer = await broker.fetch({ maxWaitTime: waitMs, maxBytes: bytes, topics })
      return answer.responses.flatMap((of) => of.partitions)
    })
    const read = fetched.then((all) => all.flatMap((data) => this.#readOf(data, positions)))
    return boundedBy(waitMs + answerWithinMs, read, 'Kafka does not show its log')
  }

  /** Reads the next records of all partitions, from all leaders at the same time. */
  async fetchAll(positions: readonly ReadPosition[], limits: FetchLimits): Promise<FetchedLog[]> {
    const leaders = await this.leaders(positions.map(({ partition }) => partition))
    const fetching = [...leaders].map(([node, led]) => {
      const ofNode = positions.filter(({ partition }) => led.includes(partition))
      return this.fetch(node, ofNode, limits)
    })
    return (await Promise.all(fetching)).flat()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#cluster[Symbol.asyncDispose]()
  }

  #readOf(data: PartitionData, positions: readonly ReadPosition[]): FetchedLog[] {
    const { partition } = data
    const offset = positions.find((position) => position.partition === partition)?.offset
    if (offset === undefined) return []
    const { messages, rawMessages } = new BatchOf(this.#topic, String(offset), data)
    const last = rawMessages.at(-1)
    // An answer without records is not the end of the log: an object store may be slow.
    const end = last === undefined ? offset : Number(last.offset) + 1
    return [{ partition, messages, next: Math.max(offset, end) }]
  }

  async #ask<T>(question: (cluster: Cluster) => Promise<T>): Promise<T> {
    const asked = this.#cluster.connected()
    try {
      return await question(await asked)
    } catch (err) {
      if (isOfType(err, 'OFFSET_OUT_OF_RANGE'))
        throw new OutOfLogError('The log has no such offset')
      // A leader that refuses has moved. Any other failure closes the connections.
      if (err instanceof Error && 'type' in err) await this.#cluster.refresh(asked)
      else void this.#cluster.drop(asked)
      throw err
    }
  }
}

const isOfType = (err: unknown, type: string): boolean =>
  err instanceof Error && 'type' in err && err.type === type
