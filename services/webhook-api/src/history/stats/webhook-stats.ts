import type { StatsWindow, WebhookStats } from '@surehook/contracts/http/webhooks/questions'
import { ownSubscription } from '../../subscriptions/store/find-own.ts'
import type { Tenant } from '../../tenants/tenant.ts'
import type { StatsDeps } from './environment-stats.ts'
import { numbersOf, percentilesOf, seriesOf, shownSpan, spanOf } from './stats-numbers.ts'
import { readStats } from './stats-store.ts'

/** Answers with the statistics of a subscription, from counts that the history keeps. */
export function webhookStats({ pool, historyPool, slots, now }: StatsDeps) {
  return async (tenant: Tenant, id: string, window: StatsWindow): Promise<WebhookStats> => {
    const { id: subscriptionId } = await slots.read(tenant)(() => ownSubscription(pool, id, tenant))
    const span = spanOf(window, now())
    const { rows, latencies } = await slots.history(tenant)(() =>
      readStats(historyPool, [subscriptionId], span),
    )
    return {
      ...shownSpan(span),
      ...numbersOf(rows),
      latencyMs: percentilesOf(latencies.get(subscriptionId)),
      bucketSeconds: span.bucketSeconds,
      series: seriesOf(rows, span),
    }
  }
}
