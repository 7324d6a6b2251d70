import {
  getEnvironmentStats,
  getEvent,
  getEventBefore,
  getWebhookStats,
  searchDeliveries,
} from '@surehook/contracts/http/webhooks/questions'
import type { Operation } from '@surehook/contracts/operation'
import { type Handle, mount } from '@surehook/service-kit/http/mount'
import type { RequestContext } from '@surehook/service-kit/http/request/request-context'
import type { Router } from 'express'
import type { SearchDeliveries } from '../history/search/search-deliveries.ts'
import type { environmentStats } from '../history/stats/environment-stats.ts'
import type { webhookStats } from '../history/stats/webhook-stats.ts'
import type { createShowBefore } from '../inspect/event/show-before.ts'
import type { createShowEvent } from '../inspect/event/show-event.ts'
import type { Tenant } from '../tenant.ts'

export type QuestionRoutesDeps = {
  authorize: (ctx: RequestContext) => Promise<Tenant>
  search: SearchDeliveries
  stats: ReturnType<typeof webhookStats>
  statsOfAll: ReturnType<typeof environmentStats>
  showEvent: ReturnType<typeof createShowEvent>
  showBefore: ReturnType<typeof createShowBefore>
}

/** Routes of searches, events and statistics. */
export function questionRoutes(deps: QuestionRoutesDeps): (router: Router) => void {
  const { authorize, search, stats, statsOfAll, showEvent, showBefore } = deps
  return (router) => {
    const serve = <Op extends Operation>(operation: Op, handle: Handle<Op, Tenant>) =>
      mount(router, operation, { authorize, handle })

    serve(searchDeliveries, ({ query }, { auth }) => search(auth, query))
    serve(getEnvironmentStats, ({ query }, { auth }) => statsOfAll(auth, query))
    serve(getWebhookStats, ({ params, query }, { auth }) => stats(auth, params.id, query.window))
    serve(getEventBefore, ({ params, query }, { auth }) => showBefore(auth, params.eventId, query))
    serve(getEvent, ({ params, query }, { auth }) => showEvent(auth, params.eventId, query))
  }
}
