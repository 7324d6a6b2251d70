import {
  getEnvironmentStats,
  getEvent,
  getEventBefore,
  getWebhookStats,
  searchDeliveries,
} from '@surehook/contracts/http/webhooks/questions'
import type { Router } from 'express'
import type { SearchDeliveries } from '../history/search/search-deliveries.ts'
import type { environmentStats } from '../history/stats/environment-stats.ts'
import type { webhookStats } from '../history/stats/webhook-stats.ts'
import type { createShowBefore } from '../inspect/event/show-before.ts'
import type { createShowEvent } from '../inspect/event/show-event.ts'
import type { ServeTenants } from '../serve-tenants.ts'

export type QuestionRoutesDeps = {
  serve: ServeTenants
  search: SearchDeliveries
  stats: ReturnType<typeof webhookStats>
  statsOfAll: ReturnType<typeof environmentStats>
  showEvent: ReturnType<typeof createShowEvent>
  showBefore: ReturnType<typeof createShowBefore>
}

/** Routes of searches, events and statistics. */
export function questionRoutes(deps: QuestionRoutesDeps): (router: Router) => void {
  const { search, stats, statsOfAll, showEvent, showBefore } = deps
  return (router) => {
    const serve = deps.serve.all(router)
    const serveReading = deps.serve.reading(router)

    serve(searchDeliveries, ({ query }, { auth }) => search(auth, query))
    serveReading(getEnvironmentStats, ({ query }, { auth }) => statsOfAll(auth, query))
    serveReading(getWebhookStats, ({ params, query }, { auth }) =>
      stats(auth, params.id, query.window),
    )
    serve(getEventBefore, ({ params, query }, { auth }) => showBefore(auth, params.eventId, query))
    serve(getEvent, ({ params, query }, { auth }) => showEvent(auth, params.eventId, query))
  }
}
