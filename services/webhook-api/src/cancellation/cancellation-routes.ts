import { cancelDeliveries } from '@surehook/contracts/http/webhooks/deliveries'
import type { Router } from 'express'
import type { ServeTenants } from '../tenants/serve-tenants.ts'
import { tenantCall } from '../tenants/tenant-call.ts'
import type { CancelDeliveries } from './cancel-deliveries.ts'

export type CancellationRoutesDeps = { serve: ServeTenants; cancel: CancelDeliveries }

export const cancellationRoutes =
  ({ serve, cancel }: CancellationRoutesDeps) =>
  (router: Router): void =>
    serve.all(router)(cancelDeliveries, (input, ctx) =>
      cancel(tenantCall(input, ctx), input.params.id, input.body),
    )
