import type { EnvironmentStats, StatsWindow } from '@surehook/contracts/http/webhooks/questions'
import { decodeCursor, type Page, pageOf } from '@surehook/service-kit/http/cursor'
import {
  findSubscriptions,
  positionOf,
  SubscriptionPosition,
} from '../../subscriptions/store/subscription-store.ts'
import type { ReadSlots } from '../../tenants/connection-slots.ts'
import type { Pools } from '../../tenants/open-database.ts'
import type { Tenant } from '../../tenants/tenant.ts'
import { numbersOf, percentilesOf, seriesOf, shownSpan, spanOf, trendOf } from './stats-numbers.ts'
import { readStats } from './stats-store.ts'

export type StatsDeps = Pools & { slots: ReadSlots; now: () => number }

/** Answers with the statistics of a page of the tenant's subscriptions, newest first. */
export function environmentStats({ pool, historyPool, slots, now }: StatsDeps) {
  return async (
    tenant: Tenant,
    { window, search, limit, cursor }: Page & { window: StatsWindow; search?: string | undefined },
  ): Promise<EnvironmentStats> => {
    const after = decodeCursor(SubscriptionPosition, cursor)
    const asked = { search, after, limit: limit + 1 }
    const found = await slots.read(tenant)(() => findSubscriptions(pool, tenant, asked))
    const { page, nextCursor } = pageOf(found, limit, positionOf)
    const span = spanOf(window, now())
    const subscriptionIds = page.map(({ id }) => id)
    const { rows, latencies } = await slots.history(tenant)(() =>
      readStats(historyPool, subscriptionIds, span),
    )
    const rowsOf = Map.groupBy(rows, (row) => row.subscription_id)
    return {
      ...shownSpan(span),
      ...numbersOf(rows),
      bucketSeconds: span.bucketSeconds,
      series: seriesOf(rows, span),
      webhooks: subscriptionIds.map((webhookId) => {
        const own = rowsOf.get(webhookId) ?? []
        const latencyMs = percentilesOf(latencies.get(webhookId))
        return { webhookId, ...numbersOf(own), latencyMs, trend: trendOf(own, span) }
      }),
      nextCursor,
    }
  }
}
