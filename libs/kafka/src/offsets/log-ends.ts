import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Cluster, WhichOffset } from '../client/cluster.ts'
import type { Kafka } from '../client/surface.ts'
import { TopicCluster } from '../client/topic-cluster.ts'

export type PartitionOffset = { topic: string; partition: number; offset: number }

export type PartitionEnd = {
  topic: string
  partition: number
  /** Offset of the next record: all acknowledged records are below it. */
  end: number
}
export type PartitionBounds = PartitionEnd & {
  /** Offset of the first record that still exists. */
  start: number
}

/** A request that has not been sent yet, with callbacks for the moment of sending. */
type Question = { answer: Promise<PartitionEnd[]>; sending: (() => void)[] }

/**
 * Reads the current end offsets of some topics from their leaders. Several views may share one
 * instance.
 */
export class LogEnds implements AsyncDisposable {
  readonly #topics: readonly string[]
  readonly #cluster: TopicCluster
  #next: Question | null = null
  #asked: Promise<unknown> = Promise.resolve()

  constructor(kafka: Kafka, topics: readonly string[], log: Logger) {
    this.#topics = topics
    this.#cluster = new TopicCluster({ kafka, topics, name: 'log-ends', log })
  }

  /**
   * Rejects when a leader does not answer. The next call opens a new connection. All calls before a
   * request is sent share its answer. One request is under way while another waits.
   * @param sending called just before the request is sent: later callers need another request
   */
  read(sending?: () => void): Promise<PartitionEnd[]> {
    this.#next ??= this.#prepare()
    if (sending !== undefined) this.#next.sending.push(sending)
    return this.#next.answer
  }

  #prepare(): Question {
    const sending: Question['sending'] = []
    const answer = this.#asked.then(async () => {
      // Requests of the same turn of the event loop join this one.
      await nextTurn()
      this.#next = null
      for (const callback of sending) callback()
      const offsets = await this.#offsets({ fromBeginning: false })
      return offsets.map(toEnd)
    })
    this.#asked = answer.catch(() => undefined)
    return { answer, sending }
  }

  /** Reads the start and end offsets of the partitions. */
  async readBounds(sending?: () => void): Promise<PartitionBounds[]> {
    const starting = this.#offsets({ fromBeginning: true })
    const [ends, starts] = await Promise.all([this.read(sending), starting])
    return boundsOf(starts, ends)
  }

  /**
   * Reads the start and end offsets of the partitions that have a leader. Nothing waits for the
   * others.
   * @param partitions numbers that every topic has: only those that have a leader in every topic
   */
  async readLed(partitions?: readonly number[]): Promise<PartitionBounds[]> {
    const [starts, ends] = await this.#askLed(partitions, [
      { fromBeginning: true },
      { fromBeginning: false },
    ])
    return boundsOf(starts, ends.map(toEnd))
  }

  /** Number of partitions of the first topic, as the brokers know it now. */
  countPartitions(): Promise<number> {
    return this.#ask(async (cluster) => {
      await cluster.refreshMetadata()
      return partitionsOf(cluster, this.#topics[0] ?? '').length
    })
  }

  /** The partitions of the first topic, with or without a leader. */
  partitions(): Promise<number[]> {
    return this.#ask(async (cluster) => {
      await cluster.refreshMetadataIfNecessary()
      return partitionsOf(cluster, this.#topics[0] ?? '').toSorted((a, b) => a - b)
    })
  }

  /**
   * Offset of the first record at or after that time in each partition that has a leader, or the
   * end if there is none.
   */
  async readAt(timestampMs: number): Promise<PartitionOffset[]> {
    const [ends, found] = await this.#askLed(undefined, [
      { fromBeginning: false },
      { fromTimestamp: timestampMs },
    ])
    return ends.map(toEnd).map(({ end, topic, partition }) => {
      const first = found.find((of) => of.topic === topic && of.partition === partition)
      return { topic, partition, offset: first && first.offset >= 0 ? first.offset : end }
    })
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#cluster[Symbol.asyncDispose]()
  }

  /**
   * Asks for two offsets of each partition that has a leader: of these partitions only if they have
   * one in every topic.
   */
  async #askLed(
    partitions: readonly number[] | undefined,
    [first, second]: readonly [WhichOffset, WhichOffset],
  ): Promise<[PartitionOffset[], PartitionOffset[]]> {
    return this.#ask(async (cluster) => {
      await cluster.refreshMetadataIfNecessary()
      const isLedInAll = (partition: number) =>
        this.#topics.every((topic) => isLed(cluster, topic, partition))
      const ledOf = (topic: string) =>
        partitions?.filter(isLedInAll) ??
        partitionsOf(cluster, topic).filter((partition) => isLed(cluster, topic, partition))
      const of = this.#topics
        .map((topic) => ({ topic, partitions: ledOf(topic).map((partition) => ({ partition })) }))
        .filter((asked) => asked.partitions.length > 0)
      if (of.length === 0) return [[], []]
      return Promise.all([offsetsOf(cluster, of, first), offsetsOf(cluster, of, second)])
    })
  }

  /** Sends one request to each leader. */
  async #offsets(which: WhichOffset): Promise<PartitionOffset[]> {
    return this.#ask(async (cluster) => {
      await cluster.refreshMetadataIfNecessary()
      const asked = this.#topics.map((topic) => {
        const partitions = cluster
          .findTopicPartitionMetadata(topic)
          .map(({ partitionId }) => ({ partition: partitionId }))
        if (partitions.length === 0) throw new Error(`Kafka knows no partition of ${topic}`)
        return { topic, partitions }
      })
      return offsetsOf(cluster, asked, which)
    })
  }

  async #ask<T>(question: (cluster: Cluster) => Promise<T>): Promise<T> {
    const cluster = this.#cluster.connected()
    try {
      return await question(await cluster)
    } catch (err) {
      void this.#cluster.drop(cluster)
      throw err
    }
  }
}

const partitionsOf = (cluster: Cluster, topic: string): number[] =>
  cluster.findTopicPartitionMetadata(topic).map(({ partitionId }) => partitionId)

const isLed = (cluster: Cluster, topic: string, partition: number): boolean =>
  cluster
    .findTopicPartitionMetadata(topic)
    .some(({ partitionId, leader }) => partitionId === partition && leader >= 0)

const toEnd = ({ offset, ...of }: PartitionOffset): PartitionEnd => ({ ...of, end: offset })

const boundsOf = (
  starts: readonly PartitionOffset[],
  ends: readonly PartitionEnd[],
): PartitionBounds[] =>
  ends.map((end) => {
    const isIt = (of: PartitionOffset) => of.topic === end.topic && of.partition === end.partition
    return { ...end, start: starts.find(isIt)?.offset ?? 0 }
  })

async function offsetsOf(
  cluster: Cluster,
  asked: { topic: string; partitions: { partition: number }[] }[],
  which: WhichOffset,
): Promise<PartitionOffset[]> {
  const answered = await cluster.fetchTopicsOffset(asked.map((each) => ({ ...each, ...which })))
  return answered.flatMap(({ topic, partitions }) =>
    partitions.map(({ partition, offset }) => ({ topic, partition, offset: Number(offset) })),
  )
}
