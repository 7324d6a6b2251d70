import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Kafka } from 'kafkajs'
import type { Logger } from 'pino'
import type { Cluster, WhichOffset } from '../client/cluster.ts'
import { TopicCluster } from '../client/topic-cluster.ts'

export type PartitionOffset = { topic: string; partition: number; offset: number }

export type PartitionEnd = {
  topic: string
  partition: number
  /** Offset that the next record will get: everything acknowledged is below it. */
  end: number
}
export type PartitionBounds = PartitionEnd & {
  /** First offset that is still there. */
  start: number
}

/** A question that has not been sent yet, and who wants to know when it is. */
type Question = { answer: Promise<PartitionEnd[]>; sending: (() => void)[] }

/** Asks the leaders where the partitions of some topics end now. Several views may share one. */
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
   * Rejects when a leader does not answer; the next call starts with a new connection. All who come before the
   * question is sent share its answer: one is under way, and one waits for it.
   * @param sending called when it is about to be sent: who comes later must ask again
   */
  read(sending?: () => void): Promise<PartitionEnd[]> {
    this.#next ??= this.#prepare()
    if (sending !== undefined) this.#next.sending.push(sending)
    return this.#next.answer
  }

  #prepare(): Question {
    const sending: Question['sending'] = []
    const answer = this.#asked.then(async () => {
      // The other requests that came with this one join in.
      await nextTurn()
      this.#next = null
      for (const tell of sending) tell()
      const offsets = await this.#offsets({ fromBeginning: false })
      return offsets.map(({ offset, ...of }) => ({ ...of, end: offset }))
    })
    this.#asked = answer.catch(() => undefined)
    return { answer, sending }
  }

  /** The ends, and where the partitions begin. */
  async readBounds(sending?: () => void): Promise<PartitionBounds[]> {
    const starting = this.#offsets({ fromBeginning: true })
    const [ends, starts] = await Promise.all([this.read(sending), starting])
    return ends.map((end) => {
      const isIt = (of: PartitionOffset) => of.topic === end.topic && of.partition === end.partition
      return { ...end, start: starts.find(isIt)?.offset ?? 0 }
    })
  }

  /** The offset of the first record of that time or later in each partition; the end where there is none. */
  async readAt(timestampMs: number): Promise<PartitionOffset[]> {
    const ends = await this.read()
    const found = await this.#offsets({ fromTimestamp: timestampMs })
    return ends.map(({ end, topic, partition }) => {
      const first = found.find((of) => of.topic === topic && of.partition === partition)
      return { topic, partition, offset: first && first.offset >= 0 ? first.offset : end }
    })
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#cluster[Symbol.asyncDispose]()
  }

  /** One request to each leader. */
  async #offsets(which: WhichOffset): Promise<PartitionOffset[]> {
    return this.#ask(async (cluster) => {
      await cluster.refreshMetadataIfNecessary()
      const asked = this.#topics.map((topic) => {
        const partitions = cluster
          .findTopicPartitionMetadata(topic)
          .map(({ partitionId }) => ({ partition: partitionId }))
        if (partitions.length === 0) throw new Error(`Kafka knows no partition of ${topic}`)
        return { topic, partitions, ...which }
      })
      const answered = await cluster.fetchTopicsOffset(asked)
      return answered.flatMap(({ topic, partitions }) =>
        partitions.map(({ partition, offset }) => ({ topic, partition, offset: Number(offset) })),
      )
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
