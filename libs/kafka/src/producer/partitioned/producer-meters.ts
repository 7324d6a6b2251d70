import type { Metrics } from '@surehook/service-kit/telemetry/metrics'

export type ProducerMeters = ReturnType<typeof producerMeters>

/** @param queuedBytes returns the size of all unacknowledged records */
export function producerMeters(metrics: Metrics, queuedBytes: () => number) {
  metrics.gauge({
    name: 'surehook_kafka_producer_queued_bytes',
    help: 'Size of the records that Kafka has not acknowledged',
    collect() {
      this.set(queuedBytes())
    },
  })
  return {
    records: metrics.counter({
      name: 'surehook_kafka_producer_records_total',
      help: 'Records that Kafka has acknowledged',
    }),
    refused: metrics.counter({
      name: 'surehook_kafka_producer_refused_total',
      help: 'Records that Kafka refused for good',
    }),
    replaced: metrics.counter({
      name: 'surehook_kafka_producer_replaced_total',
      help: 'Partitions whose sequence numbers restarted because their broker had lost them',
    }),
    seconds: metrics.histogram({
      name: 'surehook_kafka_producer_request_duration_seconds',
      help: 'Time from a produce request to its acknowledgement',
      buckets: [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 1, 5, 30],
    }),
  }
}
