import type { StateWriter } from '@surehook/change-capture/emit/state-writer'
import type { Logger } from '@surehook/service-kit/telemetry/log'
import type { Metrics } from '@surehook/service-kit/telemetry/metrics'
import type { Pool } from 'pg'
import { runBackgroundWork } from '../background-work.ts'
import { lockAnySubscription } from '../subscriptions/subscription-store.ts'
import { deactivate } from './deactivate.ts'
import { findFailing, forgetFailures, lockFailing } from './failing-store.ts'

export type DisableFailingDeps = {
  pool: Pool
  writer: Pick<StateWriter, 'write'>
  /** Whether the log has read all attempts that were published before this call. */
  hasReadAll: (signal: AbortSignal) => Promise<boolean>
  /** 0: never. */
  disableAfterMs: number
  lookEveryMs: number
  log: Logger
  metrics: Metrics
}

/**
 * Deactivates subscriptions of which nothing but failure was seen for too long, and says so. Whichever
 * replica comes first does it; for the others there is nothing left to do.
 */
export function runDisableFailing(deps: DisableFailingDeps): AsyncDisposable {
  const { disableAfterMs, lookEveryMs, log, metrics } = deps
  const disabled = metrics.counter({
    name: 'surehook_webhook_subscriptions_disabled_total',
    help: 'Subscriptions deactivated because every attempt failed for too long',
  })
  if (disableAfterMs === 0) return { [Symbol.asyncDispose]: () => Promise.resolve() }
  return runBackgroundWork({
    async work(signal) {
      const subscriptionId = await findFailing(deps.pool, disableAfterMs)
      if (subscriptionId === undefined) return lookEveryMs
      // Its attempts are spread over all partitions: where the log is behind there may be successes.
      if (!(await deps.hasReadAll(signal))) return lookEveryMs
      if (await disable(deps, subscriptionId)) {
        disabled.inc()
        log.info({ subscriptionId }, 'subscription.disabled')
      }
      return 0
    },
    onFailure: (err) => log.warn({ err }, 'subscription.disable_failed'),
    retryMs: lookEveryMs,
  })
}

function disable(
  { writer, disableAfterMs: forMs }: DisableFailingDeps,
  subscriptionId: string,
): Promise<boolean> {
  return writer.write(async (tx, emit) => {
    // The subscription first, as everywhere.
    const before = await lockAnySubscription(tx, subscriptionId)
    const since = await lockFailing(tx, { subscriptionId, forMs })
    await forgetFailures(tx, subscriptionId)
    if (before?.active !== true || since === undefined) return false
    const reason = `Every attempt since ${since.toISOString()} failed`
    await deactivate(tx, emit, { before, reason })
    return true
  })
}
