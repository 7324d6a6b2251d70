import {
  explainWebhook,
  getReplay,
  previewWebhook,
  replayWebhook,
} from '@surehook/contracts/http/webhooks/log'
import type { Router } from 'express'
import type { createExplain } from '../inspect/explain/explain.ts'
import type { createPreview } from '../inspect/preview.ts'
import type { Replays } from '../redelivery/replay/replays.ts'
import type { ServeTenants } from '../serve-tenants.ts'

export type LogRoutesDeps = {
  serve: ServeTenants
  preview: ReturnType<typeof createPreview>
  explain: ReturnType<typeof createExplain>
  replays: Replays
}

/** Routes that query the log of changes. */
export function logRoutes(deps: LogRoutesDeps): (router: Router) => void {
  const { preview, explain, replays } = deps
  return (router) => {
    const serve = deps.serve.all(router)

    serve(previewWebhook, ({ body }, { auth }) => preview(auth, body))
    serve(explainWebhook, ({ params, query }, { auth }) => explain(auth, params.id, query))
    serve(replayWebhook, ({ headers, params, body }, { auth, traceparent }) => {
      const ask = { tenant: auth, key: headers['idempotency-key'], traceparent }
      return replays.start(ask, params.id, body)
    })
    serve(getReplay, ({ params: { id, replayId } }, { auth }) => replays.get(auth, id, replayId))
  }
}
