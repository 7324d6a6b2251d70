import type { Ledger } from '@surehook/contracts/http/webhooks/ledger'
import { fromZero, type Metrics } from '@surehook/service-kit/telemetry/metrics'

export type LedgerMetrics = { taken(ledger: Ledger): void }

/** Metrics for alerts on ledgers that are taken regularly. */
export function ledgerMetrics(metrics: Metrics): LedgerMetrics {
  const ledgers = fromZero(
    metrics.counter({
      name: 'surehook_webhook_ledgers_total',
      help: 'Ledgers taken, by outcome',
      labelNames: ['outcome'],
    }),
    'outcome',
    ['closes', 'holes', 'incomplete'],
  )
  const holes = metrics.gauge({
    name: 'surehook_webhook_ledger_holes',
    help: 'Holes of the newest complete ledger of this replica',
  })
  const takenAt = metrics.gauge({
    name: 'surehook_webhook_ledger_taken_timestamp_seconds',
    help: 'When this replica took its newest complete ledger. 0: never',
  })
  return {
    taken({ complete, closes, holes: shown, holesLeftOut }) {
      const outcome = closes ? 'closes' : 'holes'
      ledgers.inc({ outcome: complete ? outcome : 'incomplete' })
      if (!complete) return
      holes.set(shown.length + holesLeftOut)
      takenAt.setToCurrentTime()
    },
  }
}
