import type { RequestContext } from '@surehook/service-kit/http/request-context'
import { clientAddress } from '../limits/client-address.ts'
import type { ResolveTenant } from '../tenant/tenant.ts'
import type { Call } from './auth-api.ts'

/** What every use case needs to know of a request; rejects when it is for no tenant. */
export function createOpenCall(resolveTenant: ResolveTenant) {
  return async ({ req, requestId, traceparent }: RequestContext): Promise<Call> => ({
    tenant: await resolveTenant(req),
    client: { address: clientAddress(req) },
    origin: { requestId, traceparent },
    authorization: req.headers.authorization,
  })
}
