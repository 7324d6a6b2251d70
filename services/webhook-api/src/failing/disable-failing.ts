import type { StateWriter } from '@surehook/change-capture/emit/state-writer'
import type { Logger } from '@surehook/service-kit/telemetry/log'
import type { Metrics } from '@surehook/service-kit/telemetry/metrics'
import { runBackgroundWork } from '../jobs/background-work.ts'
import { lockAnySubscription } from '../subscriptions/store/subscription-store.ts'
import type { Pools } from '../tenants/open-database.ts'
import { deactivate } from './deactivate.ts'
import {
  type Failing,
  findFailing,
  forgetFailing,
  lockFailing,
  mayHaveSucceeded,
} from './failing-store.ts'

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
      const failing = await findFailing(deps, {
        forMs: disableAfterMs,
        except: [...tried],
      })
      if (failing === undefined) {
        tried.clear()
        return lookEveryMs
      }
      // Attempts are spread over all partitions, so successes may be unread while the log is
      // behind.
      if (!(await deps.hasReadAll(signal))) return lookEveryMs
      const { subscriptionId } = failing
      tried.add(subscriptionId)
      if (await disable(deps, failing)) {
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

async function disable(
  { writer, historyPool }: DisableFailingDeps,
  failing: Failing,
): Promise<boolean> {
  const hasSucceeded = await mayHaveSucceeded(historyPool, failing)
  const { subscriptionId, since } = failing
  return writer.write(async (tx, emit) => {
    // Locks the subscription first, like every other transaction, to avoid deadlocks.
    const before = await lockAnySubscription(tx, subscriptionId)
    if (!(await lockFailing(tx, failing))) return false
    await forgetFailing(tx, subscriptionId)
    if (before?.active !== true || hasSucceeded) return false
    const reason = `Every attempt since ${since.toISOString()} failed`
    await deactivate(tx, emit, { before, since, reason })
    return true
  })
}
