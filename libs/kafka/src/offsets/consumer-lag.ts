import { boundedBy } from '@surehook/service-kit/bounded'
import type { Metrics } from '@surehook/service-kit/telemetry/metrics'
import type { Logger } from 'pino'
import type { Kafka } from '../client/surface.ts'
import { LogEnds } from './log-ends.ts'

/** The gauge that all kinds of consumers use. */
export const consumerLag = {
  name: 'surehook_kafka_consumer_lag_messages',
  help: 'Messages to the end of the partition that are not finished. Paused and retrying deliveries count',
  labelNames: ['group', 'topic', 'partition'] as const,
}

/** Position of a consumer in one of its partitions. */
export type Progress = {
  topic: string
  partition: number
  /** Offset after the last message that was read or handled. */
  next: number
  /** Last known end offset of the log. */
  end: number
  /** Number of messages that were read but not handled. */
  open?: number
}

export type LagOptions = {
  kafka: Kafka
  groupId: string
  topics: readonly string[]
  /** Progress of the currently assigned partitions. */
  progress: () => Iterable<Progress>
  log: Logger
}

const answerWithinMs = 1_000

/**
 * Reports the lag of a process's consumer on every scrape. It uses the current ends of the logs, so
 * that the lag of a stopped consumer grows. While Kafka does not answer it reports the last known
 * ends.
 */
export function meterLag(metrics: Metrics, options: LagOptions): AsyncDisposable {
  const { kafka, groupId: group, topics, progress, log } = options
  const ends = new LogEnds(kafka, topics, log)
  let closed = false
  const read = async () => {
    // Scrapes continue until the process ends.
    if (closed) return []
    try {
      return await boundedBy(answerWithinMs, ends.read(), 'Kafka did not return the end offsets')
    } catch (err) {
      log.debug({ err, group }, 'consumer.lag')
      return []
    }
  }
  metrics.gauge({
    ...consumerLag,
    async collect() {
      const ended = new Map(
        (await read()).map(({ topic, partition, end }) => [`${topic}/${partition}`, end]),
      )
      this.reset()
      for (const { topic, partition, next, end, open = 0 } of progress()) {
        const last = Math.max(end, ended.get(`${topic}/${partition}`) ?? 0)
        this.set({ group, topic, partition: String(partition) }, Math.max(0, last - next) + open)
      }
    },
  })
  return {
    async [Symbol.asyncDispose]() {
      closed = true
      const closing = boundedBy(answerWithinMs, ends[Symbol.asyncDispose](), 'Kafka is away')
      await closing.catch((err: unknown) => log.debug({ err, group }, 'consumer.lag.close'))
    },
  }
}
