import type { Source } from '@surehook/contracts/http/sources'
import { sourceStates } from '@surehook/contracts/http/sources'
import type { Metrics } from '@surehook/service-kit/telemetry/metrics'

export type SourceMetrics = ReturnType<typeof sourceMetrics>

/** What is told of all sources together. A single one is shown by its API. */
export function sourceMetrics(metrics: Metrics) {
  const states = metrics.gauge({
    name: 'surehook_sources',
    help: 'Sources that this replica reads, by state',
    labelNames: ['state'] as const,
  })
  return {
    changes: metrics.counter({
      name: 'surehook_source_changes_total',
      help: 'Changes of rows that were read from sources',
    }),
    gaps: metrics.counter({
      name: 'surehook_source_gaps_total',
      help: 'Times at which changes of a source may have been missed',
    }),
    tooLong: metrics.counter({
      name: 'surehook_source_messages_too_long_total',
      help: 'Connections to sources that ended because a row or an answer exceeded SOURCE_MAX_MESSAGE_BYTES',
    }),
    slotsGivenUp: metrics.counter({
      name: 'surehook_source_slots_given_up_total',
      help: 'Slots of deleted or moved sources that could not be dropped, and keep WAL',
    }),
    budgetUsed: metrics.gauge({
      name: 'surehook_source_budget_used_ratio',
      help: 'The largest share of its WAL budget that a source uses, from 0 to 1',
    }),
    setStates(all: readonly Source['state'][]): void {
      for (const state of sourceStates) {
        states.set({ state }, all.filter((one) => one === state).length)
      }
    },
  }
}
