import { countEventDeliveries, listEvents } from '@surehook/contracts/http/webhooks/event-list'
import { explainWebhook, previewWebhook } from '@surehook/contracts/http/webhooks/log'
import { getEvent, getEventBefore } from '@surehook/contracts/http/webhooks/questions'
import type { Router } from 'express'
import type { ServeTenants } from '../tenants/serve-tenants.ts'
import type { Inspection } from './create-inspection.ts'

export type InspectionRoutesDeps = { serve: ServeTenants; inspection: Inspection }

export function inspectionRoutes(deps: InspectionRoutesDeps): (router: Router) => void {
  const { inspection } = deps
  const { preview, explain, showEvent, showBefore } = inspection
  return (router) => {
    const serve = deps.serve.all(router)

    serve(previewWebhook, ({ body }, { auth }) => preview(auth, body))
    serve(explainWebhook, ({ params, query }, { auth }) => explain(auth, params.id, query))
    serve(listEvents, ({ query }, { auth }) => inspection.listEvents(auth, query))
    serve(countEventDeliveries, ({ query }, { auth }) =>
      inspection.countEventDeliveries(auth, query.eventIds),
    )
    serve(getEventBefore, ({ params, query }, { auth }) => showBefore(auth, params.eventId, query))
    serve(getEvent, ({ params, query }, { auth }) => showEvent(auth, params.eventId, query))
  }
}
