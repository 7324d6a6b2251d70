import type { Metrics } from '@surehook/service-kit/telemetry/metrics'
import type { AssignedPartition } from './assigned-partition.ts'
import type { Window } from './fair-share.ts'

export type PartitionMetersOptions = {
  groupId: string
  window: Window
  assignments: () => Iterable<AssignedPartition>
}

/** Metrics of a windowed consumer's assigned partitions, read on every scrape. */
export function partitionMeters(
  metrics: Metrics,
  { groupId: group, window, assignments }: PartitionMetersOptions,
) {
  metrics.gauge({
    name: 'surehook_kafka_consumer_window_use_ratio',
    help: 'Used part of the read-ahead window, of the fullest partition',
    labelNames: ['group', 'topic'],
    collect() {
      this.reset()
      for (const [topic, used] of fullest(assignments(), window)) this.set({ group, topic }, used)
    },
  })
  metrics.gauge({
    name: 'surehook_kafka_consumer_window_limit_messages',
    help: 'Messages of one partition that are read ahead of the commit at most',
    labelNames: ['group'],
    collect() {
      this.set({ group }, window.messages)
    },
  })
  metrics.gauge({
    name: 'surehook_kafka_consumer_tenants_waiting',
    help: 'Tenants that use their whole share of a partition while further messages wait',
    labelNames: ['group', 'topic'],
    collect() {
      this.reset()
      for (const { topic, backlog } of assignments()) {
        if (backlog !== null) this.inc({ group, topic }, backlog.waiting)
      }
    },
  })
}

function fullest(
  assignments: Iterable<AssignedPartition>,
  { messages, bytes }: Window,
): Map<string, number> {
  const byTopic = new Map<string, number>()
  for (const { topic, held, heldBytes } of assignments) {
    const used = Math.max(held / messages, heldBytes / bytes)
    byTopic.set(topic, Math.max(byTopic.get(topic) ?? 0, used))
  }
  return byTopic
}
