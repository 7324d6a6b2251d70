import { type Client, clientOf as clientBelow, headersOf } from '@surehook/scripts/client/call'
import type { Tenant } from './under-test.ts'

/** Calls the service as `tenant`, under `/api/rest/`. */
export const clientOf = (api: string, tenant: Tenant): Client =>
  clientBelow(`${api}/api/rest/`, headersOf(tenant))
