import { fromZero, type Metrics } from '@surehook/service-kit/telemetry/metrics'
import { type EndReason, endReasons } from './answer/stream-ended.ts'
import { refusedBy } from './stream-limits.ts'

export function meterStreams(metrics: Metrics, open: () => number) {
  metrics.gauge({
    name: 'surehook_streams_open',
    help: 'Streams and pages of changes that clients have open',
    collect() {
      this.set(open())
    },
  })
  const events = metrics.counter({
    name: 'surehook_stream_events_total',
    help: 'Events that were sent to streams and pages',
  })
  const ended = fromZero(
    metrics.counter({
      name: 'surehook_streams_ended_total',
      help: 'Streams that ended. `stalled`: the client read nothing for 5 minutes',
      labelNames: ['reason'],
    }),
    'reason',
    endReasons,
  )
  const refused = fromZero(
    metrics.counter({
      name: 'surehook_streams_refused_total',
      help: 'Streams refused because the tenant, the user or the replica had too many',
      labelNames: ['by'],
    }),
    'by',
    refusedBy,
  )
  return {
    sent: (count: number) => events.inc(count),
    ended: (reason: EndReason) => ended.inc({ reason }),
    refused: (by: (typeof refusedBy)[number]) => refused.inc({ by }),
  }
}
