import {
  explainWebhook,
  getReplay,
  previewWebhook,
  replayWebhook,
} from '@surehook/contracts/http/webhooks/log'
import type { Operation } from '@surehook/contracts/operation'
import { type Handle, mount } from '@surehook/service-kit/http/mount'
import type { RequestContext } from '@surehook/service-kit/http/request/request-context'
import type { Router } from 'express'
import type { createExplain } from '../inspect/explain/explain.ts'
import type { createPreview } from '../inspect/preview.ts'
import type { Replays } from '../redelivery/replay/replays.ts'
import type { Tenant } from '../tenant.ts'

export type LogRoutesDeps = {
  authorize: (ctx: RequestContext) => Promise<Tenant>
  preview: ReturnType<typeof createPreview>
  explain: ReturnType<typeof createExplain>
  replays: Replays
}

/** Routes that query the log of changes. */
export function logRoutes(deps: LogRoutesDeps): (router: Router) => void {
  const { authorize, preview, explain, replays } = deps
  return (router) => {
    const serve = <Op extends Operation>(operation: Op, handle: Handle<Op, Tenant>) =>
      mount(router, operation, { authorize, handle })

    serve(previewWebhook, ({ body }, { auth }) => preview(auth, body))
    serve(explainWebhook, ({ params, query }, { auth }) => explain(auth, params.id, query))
    serve(replayWebhook, ({ headers, params, body }, { auth, traceparent }) => {
      const ask = { tenant: auth, key: headers['idempotency-key'], traceparent }
      return replays.start(ask, params.id, body)
    })
    serve(getReplay, ({ params: { id, replayId } }, { auth }) => replays.get(auth, id, replayId))
  }
}
