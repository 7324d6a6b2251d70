import {
  cancelDeliveries,
  getDelivery,
  listDeliveries,
  recoverWebhook,
  redeliver,
  testWebhook,
} from '@surehook/contracts/http/webhooks/deliveries'
import type { Router } from 'express'
import type { CancelDeliveries } from '../cancellation/cancel-deliveries.ts'
import type { DeliveryHistory } from '../history/read/delivery-history.ts'
import type { Recover } from '../redelivery/recovery/recover.ts'
import type { Ask, SendAgain } from '../redelivery/send-again.ts'
import type { ServeTenants } from '../serve-tenants.ts'
import type { Tenant } from '../tenant.ts'

export type DeliveryRoutesDeps = {
  serve: ServeTenants
  history: DeliveryHistory
  sendAgain: SendAgain
  recover: Recover
  cancel: CancelDeliveries
}

type Keyed = { headers: { 'idempotency-key'?: string | undefined } }

const askOf = (
  { headers }: Keyed,
  { auth, traceparent }: { auth: Tenant; traceparent: string | null },
): Ask => ({ tenant: auth, key: headers['idempotency-key'], traceparent })

export function deliveryRoutes(deps: DeliveryRoutesDeps): (router: Router) => void {
  const { history, sendAgain, recover, cancel } = deps
  return (router) => {
    const serve = deps.serve.all(router)
    const serveReading = deps.serve.reading(router)

    serveReading(listDeliveries, ({ params, query }, { auth }) =>
      history.list(auth, params.id, query),
    )
    serve(getDelivery, ({ params: { id, deliveryId } }, { auth }) =>
      history.get(auth, id, deliveryId),
    )
    serve(redeliver, (input, ctx) => sendAgain.redeliver(askOf(input, ctx), input.params))
    serve(testWebhook, (input, ctx) => sendAgain.test(askOf(input, ctx), input.params.id))
    serve(recoverWebhook, (input, ctx) => recover(askOf(input, ctx), input.params.id, input.body))
    serve(cancelDeliveries, (input, ctx) => cancel(askOf(input, ctx), input.params.id, input.body))
  }
}
