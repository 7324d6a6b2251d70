import type { Metrics } from '@surehook/service-kit/telemetry/metrics'
import type { Logger } from 'pino'

/** A partition, or a topic whose partitions are unknown (`null`). */
export type TopicOrPartition = { topic: string; partition: number | null }

type Outage = { at: TopicOrPartition; since: number; loggedAt: number; topicIsMissing: boolean }

const keyOf = ({ topic, partition }: TopicOrPartition): string => `${topic}/${partition ?? ''}`

/**
 * Milliseconds before a missing topic is reported: a starting broker does not know its topics yet.
 */
const missingForMs = 5_000
const logAgainMs = 60_000
const missing = 'UNKNOWN_TOPIC_OR_PARTITION'

/**
 * Partitions and topics whose records wait because Kafka does not accept them. Reported in the log
 * and as a metric.
 */
export class UnavailablePartitions {
  readonly #log: Logger
  readonly #outages = new Map<string, Outage>()
  /** Topics that have accepted records. Their metric is 0 while no records wait. */
  readonly #topics = new Set<string>()

  constructor(log: Logger, metrics: Metrics | undefined) {
    this.#log = log
    const outages = this.#outages
    const topics = this.#topics
    metrics?.gauge({
      name: 'surehook_kafka_producer_unavailable_partitions',
      help: 'Partitions that take no records now. A missing topic counts as one',
      labelNames: ['topic'],
      collect() {
        this.reset()
        for (const topic of topics) this.set({ topic }, 0)
        for (const { at } of outages.values()) this.inc({ topic: at.topic })
      },
    })
  }

  get any(): boolean {
    return this.#outages.size > 0
  }

  has(topic: string, partition: number): boolean {
    return this.#outages.has(keyOf({ topic, partition }))
  }

  failed(at: TopicOrPartition, { err, tries }: { err: Error; tries: number }): void {
    const now = performance.now()
    const fresh = { at, since: now, loggedAt: Number.NEGATIVE_INFINITY, topicIsMissing: false }
    const outage = this.#outages.get(keyOf(at)) ?? fresh
    this.#outages.set(keyOf(at), outage)
    const topicIsMissing =
      'type' in err && err.type === missing && now - outage.since >= missingForMs
    if (topicIsMissing === outage.topicIsMissing && now - outage.loggedAt < logAgainMs) return
    outage.topicIsMissing = topicIsMissing
    outage.loggedAt = now
    const fields = { ...at, reason: err.message, tries }
    if (topicIsMissing) this.#log.error(fields, 'producer.topic.missing')
    else this.#log.warn(fields, 'producer.partition.unavailable')
  }

  /** Notes that Kafka accepted records. */
  served(at: TopicOrPartition): void {
    this.#topics.add(at.topic)
    this.recovered(at)
  }

  recovered(at: TopicOrPartition): void {
    const outage = this.#outages.get(keyOf(at))
    if (outage === undefined) return
    this.#outages.delete(keyOf(at))
    const seconds = Math.round((performance.now() - outage.since) / 1_000)
    this.#log.info({ ...at, seconds }, 'producer.partition.recovered')
  }
}
