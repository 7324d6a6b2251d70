import { getDelivery, listDeliveries } from '@surehook/contracts/http/webhooks/deliveries'
import {
  getEnvironmentStats,
  getWebhookStats,
  searchDeliveries,
} from '@surehook/contracts/http/webhooks/questions'
import type { Router } from 'express'
import type { ServeTenants } from '../tenants/serve-tenants.ts'
import type { History } from './open-history.ts'

export type HistoryRoutesDeps = { serve: ServeTenants; history: History }

export function historyRoutes(deps: HistoryRoutesDeps): (router: Router) => void {
  const { deliveries, search, stats, statsOfAll } = deps.history
  return (router) => {
    const serve = deps.serve.all(router)

    serve(searchDeliveries, ({ query }, { auth }) => search(auth, query))
    serve(getEnvironmentStats, ({ query }, { auth }) => statsOfAll(auth, query))
    serve(getWebhookStats, ({ params, query }, { auth }) => stats(auth, params.id, query.window))
    serve(listDeliveries, ({ params, query }, { auth }) => deliveries.list(auth, params.id, query))
    serve(getDelivery, ({ params: { id, deliveryId } }, { auth }) =>
      deliveries.get(auth, id, deliveryId),
    )
  }
}
