import type { Delivery } from '@surehook/contracts/http/webhooks/webhooks'
import {
  createWebhook,
  deleteWebhook,
  getWebhook,
  listWebhooks,
  updateWebhook,
} from '@surehook/contracts/http/webhooks/webhooks'
import type { Router } from 'express'
import type { ConnectionSlots } from '../tenants/connection-slots.ts'
import type { ServeTenants } from '../tenants/serve-tenants.ts'
import type { Tenant } from '../tenants/tenant.ts'
import type { Subscriptions } from './manage-subscriptions.ts'

/** How many deliveries the view of a subscription shows. */
const shownDeliveries = 50

export type WebhookRoutesDeps = {
  serve: ServeTenants
  subscriptions: Subscriptions
  slots: Pick<ConnectionSlots, 'read'>
  newestDeliveries: (tenant: Tenant, subscriptionId: string, limit: number) => Promise<Delivery[]>
}

export function webhookRoutes(deps: WebhookRoutesDeps): (router: Router) => void {
  const { subscriptions, slots, newestDeliveries } = deps
  return (router) => {
    const serve = deps.serve.all(router)
    const serveReading = deps.serve.reading(router)

    serve(createWebhook, ({ body, headers }, { auth }) =>
      subscriptions.create(auth, body, headers['idempotency-key']),
    )
    serveReading(listWebhooks, ({ query }, { auth }) => subscriptions.list(auth, query))
    serve(getWebhook, async ({ params }, { auth }) => {
      const webhook = await slots.read(auth)(() => subscriptions.get(auth, params.id))
      return { webhook, deliveries: await newestDeliveries(auth, webhook.id, shownDeliveries) }
    })
    serve(updateWebhook, ({ params, body }, { auth }) =>
      subscriptions.change(auth, params.id, body),
    )
    serve(deleteWebhook, ({ params }, { auth }) => subscriptions.remove(auth, params.id))
  }
}
