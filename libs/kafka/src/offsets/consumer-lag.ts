import { boundedBy } from '@surehook/service-kit/bounded'
import type { Metrics } from '@surehook/service-kit/telemetry/metrics'
import type { Kafka } from 'kafkajs'
import type { Logger } from 'pino'
import { LogEnds } from './log-ends.ts'

/** The gauge of every kind of consumer. */
export const consumerLag = {
  name: 'surehook_kafka_consumer_lag_messages',
  help: 'Messages to the end of the partition that are not finished. Paused and retrying deliveries count',
  labelNames: ['group', 'topic', 'partition'] as const,
}

/** Where a consumer is in a partition that it has. */
export type Progress = {
  topic: string
  partition: number
  /** Behind what it has read, or handled. */
  next: number
  /** Of the log, as it was read last. */
  end: number
  /** Read and not handled. */
  open?: number
}

export type LagOptions = {
  kafka: Kafka
  groupId: string
  topics: readonly string[]
  /** Of the partitions that it has at the moment. */
  progress: () => Iterable<Progress>
  log: Logger
}

const answerWithinMs = 1_000

/**
 * Reports the lag of a process' consumer whenever metrics are asked for, from where the logs end at that moment: the
 * lag of one that stands still grows. While Kafka does not answer it is what was read last.
 */
export function meterLag(metrics: Metrics, options: LagOptions): AsyncDisposable {
  const { kafka, groupId: group, topics, progress, log } = options
  const ends = new LogEnds(kafka, topics, log)
  let closed = false
  const read = async () => {
    // Metrics are asked for until the process ends.
    if (closed) return []
    try {
      return await boundedBy(answerWithinMs, ends.read(), 'Kafka does not tell its ends')
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
