import type { Delivery } from '@surehook/contracts/http/webhooks/webhooks'
import {
  createWebhook,
  deleteWebhook,
  getWebhook,
  listWebhooks,
  updateWebhook,
} from '@surehook/contracts/http/webhooks/webhooks'
import type { Operation } from '@surehook/contracts/operation'
import { type Handle, mount } from '@surehook/service-kit/http/mount'
import type { RequestContext } from '@surehook/service-kit/http/request/request-context'
import type { Router } from 'express'
import type { Tenant } from '../tenant.ts'
import type { Subscriptions } from './manage-subscriptions.ts'

/** How many deliveries the view of a subscription shows. */
const shownDeliveries = 50

export type WebhookRoutesDeps = {
  authorize: (ctx: RequestContext) => Promise<Tenant>
  subscriptions: Subscriptions
  newestDeliveries: (subscriptionId: string, limit: number) => Promise<Delivery[]>
}

export function webhookRoutes(deps: WebhookRoutesDeps): (router: Router) => void {
  const { authorize, subscriptions, newestDeliveries } = deps
  return (router) => {
    const serve = <Op extends Operation>(operation: Op, handle: Handle<Op, Tenant>) =>
      mount(router, operation, { authorize, handle })

    serve(createWebhook, ({ body, headers }, { auth }) =>
      subscriptions.create(auth, body, headers['idempotency-key']),
    )
    serve(listWebhooks, ({ query }, { auth }) => subscriptions.list(auth, query))
    serve(getWebhook, async ({ params }, { auth }) => {
      const webhook = await subscriptions.get(auth, params.id)
      return { webhook, deliveries: await newestDeliveries(webhook.id, shownDeliveries) }
    })
    serve(updateWebhook, ({ params, body }, { auth }) =>
      subscriptions.change(auth, params.id, body),
    )
    serve(deleteWebhook, ({ params }, { auth }) => subscriptions.remove(auth, params.id))
  }
}
