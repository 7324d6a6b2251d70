import type { Messaging } from '@surehook/kafka/messaging'
import type { Logger } from '@surehook/service-kit/telemetry/log'
import type { Metrics } from '@surehook/service-kit/telemetry/metrics'
import { ledgerMetrics } from './ledger-metrics.ts'
import { createLedgers, type Ledgers } from './ledgers.ts'
import { refuseTrimmed, withAdmin } from './log-marks.ts'
import { takeLedger } from './take-ledger.ts'

export type OpenLedgersOptions = Pick<Messaging, 'kafka' | 'codec'> & {
  config: { kafka: { clientId: string }; historyDays: number }
  metrics: Metrics
  log: Logger
}

/** At most 48 bytes per delivery, and as much again while the table grows. */
const maxDeliveries = 4_000_000
const withinMs = 10 * 60_000
const dayMs = 86_400_000

/** Disposing ends a running ledger. */
export function openLedgers(options: OpenLedgersOptions): Ledgers & Disposable {
  const { kafka, codec, config, metrics, log } = options
  const { clientId } = config.kafka
  const closing = new AbortController()
  const historyMs = config.historyDays * dayMs
  const ledgers = createLedgers({
    take: (of, signal) => takeLedger({ kafka, codec, clientId, maxDeliveries, log }, of, signal),
    // Records must not expire between the beginning and the end of a reading.
    refuseTrimmed: (from) =>
      withAdmin(kafka, (admin) => refuseTrimmed(admin, { from, historyMs, marginMs: withinMs })),
    withinMs,
    metrics: ledgerMetrics(metrics),
    log,
    now: Date.now,
  })
  return {
    ask: (query, signal) => ledgers.ask(query, AbortSignal.any([signal, closing.signal])),
    [Symbol.dispose]: () => closing.abort(new DOMException('The service stops', 'AbortError')),
  }
}
