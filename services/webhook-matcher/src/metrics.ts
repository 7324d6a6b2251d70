import type { SubscriptionIndex } from '@surehook/matching/index/subscription-index'
import { fromZero, type Metrics } from '@surehook/service-kit/telemetry/metrics'

export type MatcherMetrics = ReturnType<typeof matcherMetrics>

export function matcherMetrics(metrics: Metrics) {
  return {
    changes: fromZero(
      metrics.counter({
        name: 'surehook_matcher_changes_total',
        help: 'Changes read. outcome: matched, unmatched or invalid',
        labelNames: ['outcome'],
      }),
      'outcome',
      ['matched', 'unmatched', 'invalid'],
    ),
    deliveries: fromZero(
      metrics.counter({
        name: 'surehook_matcher_deliveries_total',
        help: 'Deliveries made. outcome: produced or too_large',
        labelNames: ['outcome'],
      }),
      'outcome',
      ['produced', 'too_large'],
    ),
    matchSeconds: metrics.histogram({
      name: 'surehook_matcher_match_duration_seconds',
      help: 'Time to find the subscriptions of one change',
      buckets: [0.000_005, 0.000_02, 0.000_1, 0.000_5, 0.002, 0.01, 0.05, 0.25, 1],
    }),
    barrierSeconds: metrics.histogram({
      name: 'surehook_matcher_barrier_duration_seconds',
      help: 'Time until the subscriptions were as new as a batch of changes',
      buckets: [0.001, 0.002, 0.005, 0.01, 0.025, 0.1, 0.5, 2, 5],
    }),
    invalid: fromZero(
      metrics.counter({
        name: 'surehook_matcher_invalid_messages_total',
        help: 'Messages put on an invalid topic',
        labelNames: ['topic'],
      }),
      'topic',
      ['changes', 'webhook.subscriptions'],
    ),
  }
}

/** Values that are read when metrics are scraped. */
export function registerIndex(
  metrics: Metrics,
  index: Pick<SubscriptionIndex, 'size' | 'packedBytes' | 'unpacked'>,
): void {
  metrics.gauge({
    name: 'surehook_matcher_subscriptions',
    help: 'Active subscriptions',
    collect() {
      this.set(index.size)
    },
  })
  metrics.gauge({
    name: 'surehook_matcher_subscriptions_packed_bytes',
    help: 'Memory outside the heap for packed subscriptions',
    collect() {
      this.set(index.packedBytes)
    },
  })
  metrics.counter({
    name: 'surehook_matcher_subscriptions_unpacked_total',
    help: 'Subscriptions unpacked to match a change or to apply a state, because they were not among those used last',
    collect() {
      this.reset()
      this.inc(index.unpacked)
    },
  })
}
