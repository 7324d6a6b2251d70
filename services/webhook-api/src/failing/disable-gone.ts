import type { StateWriter } from '@surehook/change-capture/emit/state-writer'
import type { Logger } from '@surehook/service-kit/telemetry/log'
import type { Metrics } from '@surehook/service-kit/telemetry/metrics'
import { type BackgroundWork, runBackgroundWork } from '../jobs/background-work.ts'
import { lockAnySubscription } from '../subscriptions/store/subscription-store.ts'
import type { Pools } from '../tenants/open-database.ts'
import { deactivate } from './deactivate.ts'
import { findGone, takeGone } from './gone-store.ts'

export type DisableGoneDeps = Pools & {
  writer: Pick<StateWriter, 'write'>
  log: Logger
  metrics: Metrics
}

/** The interval at which a replica looks for rows that a killed replica has left. */
const lookEveryMs = 10_000
const retryMs = 1_000

/**
 * Deactivates subscriptions after a 410, if their policy says so. The log stores the answer in
 * `gone_subscription` before it commits its offset. The transaction that deactivates deletes it. So
 * another replica continues after a crash.
 */
export function runDisableGone(deps: DisableGoneDeps): BackgroundWork {
  const { writer, log, metrics } = deps
  const disabled = metrics.counter({
    name: 'surehook_webhook_subscriptions_gone_total',
    help: 'Subscriptions deactivated because their receiver answered 410',
  })
  const disable = (subscriptionId: string) =>
    writer.write(async (tx, emit) => {
      // Every transaction locks the subscription first, which prevents deadlocks.
      const before = await lockAnySubscription(tx, subscriptionId)
      const at = await takeGone(tx, subscriptionId, before)
      if (before === undefined || at === undefined) return false
      const reason = `The receiver answered 410 Gone at ${at.toISOString()}`
      await deactivate(tx, emit, { before, since: at, reason })
      return true
    })
  /** Left out until the others were tried, so that they do not wait for one that fails. */
  const tried = new Set<string>()
  return runBackgroundWork({
    async work() {
      const subscriptionId = await findGone(deps, [...tried])
      if (subscriptionId === undefined) {
        tried.clear()
        return lookEveryMs
      }
      tried.add(subscriptionId)
      if (await disable(subscriptionId)) {
        disabled.inc()
        log.info({ subscriptionId }, 'subscription.gone')
      }
      tried.delete(subscriptionId)
      return 0
    },
    onFailure: (err) => log.warn({ err }, 'subscription.disable_failed'),
    retryMs,
  })
}
