import type { Metrics } from '@surehook/service-kit/telemetry/metrics'

type RelayState = { role: string; oldestWaitMs: number; isFull: boolean }

export function relayMeters(metrics: Metrics, state: () => RelayState) {
  let relayedAt = Date.now()
  const records = metrics.counter({
    name: 'surehook_capture_relayed_total',
    help: 'Captured messages that Kafka has acknowledged',
  })
  metrics.gauge({
    name: 'surehook_capture_relay_leader',
    help: '1 in the replica that reads the replication slot',
    collect() {
      this.set(state().role === 'leader' ? 1 : 0)
    },
  })
  metrics.gauge({
    name: 'surehook_capture_last_relayed_timestamp_seconds',
    help: 'When this process last relayed a message, or its start',
    collect() {
      this.set(relayedAt / 1000)
    },
  })
  metrics.gauge({
    name: 'surehook_capture_oldest_unacknowledged_seconds',
    help: 'Age of the oldest captured message that Kafka has not acknowledged',
    collect() {
      this.set(state().oldestWaitMs / 1000)
    },
  })
  metrics.gauge({
    name: 'surehook_capture_relay_full',
    help: '1 while the relay waits for Kafka before it reads further',
    collect() {
      this.set(state().isFull ? 1 : 0)
    },
  })
  return {
    lag: metrics.gauge({
      name: 'surehook_capture_slot_lag_bytes',
      help: 'WAL that the replication slot has not confirmed',
    }),
    lost: metrics.gauge({
      name: 'surehook_capture_slot_lost',
      help: '1 if the replication slot is gone: changes may be missing on Kafka',
    }),
    relayed(count: number) {
      relayedAt = Date.now()
      records.inc(count)
    },
  }
}
