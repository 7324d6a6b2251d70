import { type Client, clientOf as clientBelow, headersOf } from '@surehook/scripts/client/call'
import type { Tenant } from './under-test.ts'

/** A client that calls the service as `tenant`, below `/api/rest/`. */
export const clientOf = (api: string, tenant: Tenant): Client =>
  clientBelow(`${api}/api/rest/`, headersOf(tenant))
