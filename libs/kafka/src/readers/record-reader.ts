import { boundedBy } from '@surehook/service-kit/bounded'
import { unavailable } from '@surehook/service-kit/errors'
import type { Logger } from 'pino'
import type { Broker, Cluster } from '../client/cluster.ts'
import type { Kafka, KafkaMessage } from '../client/surface.ts'
import { TopicCluster } from '../client/topic-cluster.ts'

export type RecordPosition = { partition: number; offset: number }

export type RecordReader = AsyncDisposable & {
  /**
   * Reads the record at this position and following ones, about `bytes` in total. The first one has a
   * higher offset if the record no longer exists. Resolves with an empty list if the topic has no
   * such partition, or the offset is outside of the log. Rejects with SERVICE_UNAVAILABLE if Kafka
   * does not answer in time.
   */
  readFrom(position: RecordPosition, bytes: number): Promise<KafkaMessage[]>
}

export type RecordReaderOptions = { kafka: Kafka; topic: string; log: Logger }

const readWithinMs = 10_000
/** Milliseconds to wait: a newly elected leader learns the end of its log a moment later. */
const waitAtEndMs = 500
const tries = 2

/**
 * Reads single records of a topic. It connects on first use, joins no group and is idle in between.
 */
export function openRecordReader(options: RecordReaderOptions): RecordReader {
  return new KafkaRecordReader(options)
}

type PartitionData = { messages: KafkaMessage[]; highWatermark: string }
type FetchResponse = { responses: { partitions: PartitionData[] }[] }
type FetchingBroker = Broker & { fetch(of: object): Promise<FetchResponse> }

class KafkaRecordReader implements RecordReader {
  readonly #topic: string
  readonly #cluster: TopicCluster

  constructor({ kafka, topic, log }: RecordReaderOptions) {
    this.#topic = topic
    this.#cluster = new TopicCluster({ kafka, topics: [topic], name: 'record-reader', log })
  }

  readFrom(position: RecordPosition, bytes: number): Promise<KafkaMessage[]> {
    return boundedBy(readWithinMs, this.#read(position, bytes), 'Kafka does not show the record')
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#cluster[Symbol.asyncDispose]()
  }

  async #read(position: RecordPosition, bytes: number): Promise<KafkaMessage[]> {
    for (let left = tries; left > 0; left--) {
      const cluster = this.#cluster.connected()
      try {
        const found = await this.#fetch(await cluster, position, {
          bytes,
          isRepeated: left < tries,
        })
        if (found !== null) return found
      } catch (err) {
        if (isOutOfRange(err)) return []
        // A partition without a leader must not end other reads on the same connections.
        if (!isRefusal(err)) void this.#cluster.drop(cluster)
        if (left === 1) throw unavailable('Kafka does not show the record', err)
      }
    }
    throw unavailable('Kafka does not show the record')
  }

  /** Resolves with null if the broker has the records, but not at hand: an object store is slow. */
  async #fetch(
    cluster: Cluster,
    { partition, offset }: RecordPosition,
    { bytes, isRepeated }: { bytes: number; isRepeated: boolean },
  ): Promise<KafkaMessage[] | null> {
    const topic = this.#topic
    // Another broker may have become the leader.
    await (isRepeated ? cluster.refreshMetadata() : cluster.refreshMetadataIfNecessary())
    const [nodeId] = Object.keys(cluster.findLeaderForPartitions(topic, [partition]))
    if (nodeId === undefined) return []
    const broker = (await cluster.findBroker({ nodeId })) as FetchingBroker
    const span = { partition, fetchOffset: String(offset), maxBytes: bytes }
    const { responses } = await broker.fetch({
      maxWaitTime: waitAtEndMs,
      topics: [{ topic, partitions: [span] }],
    })
    const found = responses.flatMap(({ partitions }) => partitions)
    const messages = found.flatMap((of) => of.messages)
    const isInLog = found.some(({ highWatermark }) => offset < Number(highWatermark))
    if (messages.length === 0 && isInLog) return null
    // A fetch returns whole batches, so it may begin before the record.
    return messages.filter((message) => Number(message.offset) >= offset)
  }
}

const isOutOfRange = (err: unknown): boolean =>
  err instanceof Error && 'type' in err && err.type === 'OFFSET_OUT_OF_RANGE'

/** The brokers answer, but cannot serve this partition now. */
const isRefusal = (err: unknown): boolean =>
  err instanceof Error && ('type' in err || err.name === 'KafkaJSBrokerNotFound')
