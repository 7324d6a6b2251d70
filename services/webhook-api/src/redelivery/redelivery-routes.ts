import {
  recoverWebhook,
  redeliver,
  testWebhook,
} from '@surehook/contracts/http/webhooks/deliveries'
import { getReplay, replayWebhook } from '@surehook/contracts/http/webhooks/log'
import type { Router } from 'express'
import type { ServeTenants } from '../tenants/serve-tenants.ts'
import { tenantCall } from '../tenants/tenant-call.ts'
import type { Redelivery } from './open-redelivery.ts'

export type RedeliveryRoutesDeps = { serve: ServeTenants; redelivery: Redelivery }

export function redeliveryRoutes(deps: RedeliveryRoutesDeps): (router: Router) => void {
  const { redeliver: sendAgain, test, recover, replays } = deps.redelivery
  return (router) => {
    const serve = deps.serve.all(router)

    serve(redeliver, (input, ctx) => sendAgain(tenantCall(input, ctx), input.params))
    serve(testWebhook, (input, ctx) => test(tenantCall(input, ctx), input.params.id))
    serve(recoverWebhook, (input, ctx) =>
      recover(tenantCall(input, ctx), input.params.id, input.body),
    )
    serve(replayWebhook, (input, ctx) =>
      replays.start(tenantCall(input, ctx), input.params.id, input.body),
    )
    deps.serve.reading(router)(getReplay, ({ params: { id, replayId } }, { auth }) =>
      replays.get(auth, id, replayId),
    )
  }
}
