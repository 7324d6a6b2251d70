import type { Metrics } from '@surehook/service-kit/telemetry/metrics'
import type { Logger } from 'pino'

/** A partition, or a topic whose partitions are unknown (`null`). */
export type Place = { topic: string; partition: number | null }

type Trouble = { place: Place; since: number; loggedAt: number; topicIsMissing: boolean }

const placeKey = ({ topic, partition }: Place): string => `${topic}/${partition ?? ''}`

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
export class UnavailablePlaces {
  readonly #log: Logger
  readonly #troubles = new Map<string, Trouble>()
  /** Topics that have accepted records. Their metric is 0 while no records wait. */
  readonly #topics = new Set<string>()

  constructor(log: Logger, metrics: Metrics | undefined) {
    this.#log = log
    const troubles = this.#troubles
    const topics = this.#topics
    metrics?.gauge({
      name: 'surehook_kafka_producer_unavailable_partitions',
      help: 'Partitions that take no records now. A missing topic counts as one',
      labelNames: ['topic'],
      collect() {
        this.reset()
        for (const topic of topics) this.set({ topic }, 0)
        for (const { place } of troubles.values()) this.inc({ topic: place.topic })
      },
    })
  }

  get any(): boolean {
    return this.#troubles.size > 0
  }

  has(topic: string, partition: number): boolean {
    return this.#troubles.has(placeKey({ topic, partition }))
  }

  failed(place: Place, { err, tries }: { err: Error; tries: number }): void {
    const now = performance.now()
    const fresh = { place, since: now, loggedAt: Number.NEGATIVE_INFINITY, topicIsMissing: false }
    const trouble = this.#troubles.get(placeKey(place)) ?? fresh
    this.#troubles.set(placeKey(place), trouble)
    const topicIsMissing =
      'type' in err && err.type === missing && now - trouble.since >= missingForMs
    if (topicIsMissing === trouble.topicIsMissing && now - trouble.loggedAt < logAgainMs) return
    trouble.topicIsMissing = topicIsMissing
    trouble.loggedAt = now
    const fields = { ...place, reason: err.message, tries }
    if (topicIsMissing) this.#log.error(fields, 'producer.topic.missing')
    else this.#log.warn(fields, 'producer.partition.unavailable')
  }

  /** Notes that Kafka accepted records. */
  served(place: Place): void {
    this.#topics.add(place.topic)
    this.recovered(place)
  }

  recovered(place: Place): void {
    const trouble = this.#troubles.get(placeKey(place))
    if (trouble === undefined) return
    this.#troubles.delete(placeKey(place))
    const seconds = Math.round((performance.now() - trouble.since) / 1_000)
    this.#log.info({ ...place, seconds }, 'producer.partition.recovered')
  }
}
