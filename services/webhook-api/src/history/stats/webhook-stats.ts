import type { StatsWindow, WebhookStats } from '@surehook/contracts/http/webhooks/questions'
import { ownSubscription } from '../../subscriptions/store/find-own.ts'
import type { Pools } from '../../tenants/open-database.ts'
import type { Tenant } from '../../tenants/tenant.ts'
import { numbersOf, percentilesOf, seriesOf, shownSpan, spanOf } from './stats-numbers.ts'
import { readStats } from './stats-store.ts'

/** Answers with the statistics of a subscription, from counts that the history keeps. */
export function webhookStats({ pool, historyPool, now }: Pools & { now: () => number }) {
  return async (tenant: Tenant, id: string, window: StatsWindow): Promise<WebhookStats> => {
    const { id: subscriptionId } = await ownSubscription(pool, id, tenant)
    const span = spanOf(window, now())
    const { rows, latencies } = await readStats(historyPool, [subscriptionId], span)
    return {
      ...shownSpan(span),
      ...numbersOf(rows),
      latencyMs: percentilesOf(latencies.get(subscriptionId)),
      bucketSeconds: span.bucketSeconds,
      series: seriesOf(rows, span),
    }
  }
}
