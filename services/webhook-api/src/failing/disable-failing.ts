import type { StateWriter } from '@surehook/change-capture/emit/state-writer'
import type { Logger } from '@surehook/service-kit/telemetry/log'
import type { Metrics } from '@surehook/service-kit/telemetry/metrics'
import { runBackgroundWork } from '../jobs/background-work.ts'
import { lockAnySubscription } from '../subscriptions/store/subscription-store.ts'
import type { Pools } from '../tenants/open-database.ts'
import { deactivate } from './deactivate.ts'
import { findFailing, forgetFailing, lockFailing } from './failing-store.ts'

export type DisableFailingDeps = Pools & {
  writer: Pick<StateWriter, 'write'>
  /** Resolves to whether the log has read all attempts that were published before this call. */
  hasReadAll: (signal: AbortSignal) => Promise<boolean>
  /** 0 disables it. */
  disableAfterMs: number
  lookEveryMs: number
  log: Logger
  metrics: Metrics
}

/**
 * Deactivates subscriptions whose every attempt failed for too long, and announces it. All replicas
 * try; the first one does it.
 */
export function runDisableFailing(deps: DisableFailingDeps): AsyncDisposable {
  const { disableAfterMs, lookEveryMs, log, metrics } = deps
  const disabled = metrics.counter({
    name: 'surehook_webhook_subscriptions_disabled_total',
    help: 'Subscriptions deactivated because every attempt failed for too long',
  })
  if (disableAfterMs === 0) return { [Symbol.asyncDispose]: () => Promise.resolve() }
  /** Subscriptions that failed here. They are skipped until all others were checked. */
  const tried = new Set<string>()
  return runBackgroundWork({
    async work(signal) {
      const subscriptionId = await findFailing(deps, {
        forMs: disableAfterMs,
        except: [...tried],
      })
      if (subscriptionId === undefined) {
        tried.clear()
        return lookEveryMs
      }
      // Attempts are spread over all partitions, so successes may be unread while the log is
      // behind.
      if (!(await deps.hasReadAll(signal))) return lookEveryMs
      tried.add(subscriptionId)
      if (await disable(deps, subscriptionId)) {
        disabled.inc()
        log.info({ subscriptionId }, 'subscription.disabled')
      }
      tried.delete(subscriptionId)
      return 0
    },
    onFailure: (err) => log.warn({ err }, 'subscription.disable_failed'),
    retryMs: lookEveryMs,
  })
}

function disable(
  { writer, historyPool, disableAfterMs: forMs }: DisableFailingDeps,
  subscriptionId: string,
): Promise<boolean> {
  return writer.write(async (tx, emit) => {
    // Locks the subscription first, like every other transaction, to avoid deadlocks.
    const before = await lockAnySubscription(tx, subscriptionId)
    const since = await lockFailing({ tx, historyPool }, { subscriptionId, forMs })
    await forgetFailing(tx, subscriptionId)
    if (before?.active !== true || since === undefined) return false
    const reason = `Every attempt since ${since.toISOString()} failed`
    await deactivate(tx, emit, { before, since, reason })
    return true
  })
}
