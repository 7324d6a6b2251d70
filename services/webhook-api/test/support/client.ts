import { type Client, clientOf as clientBelow, headersOf } from '@surehook/scripts/client/call'
import type { Tenant } from './under-test.ts'

/** A client that calls the service as `tenant`, below `/api/rest/_webhooks`. */
export const clientOf = (api: string, tenant: Tenant): Client =>
  clientBelow(`${api}/api/rest/_webhooks`, headersOf(tenant))

export const validInput = ({ projectId, environment }: Tenant) => ({
  projectId,
  environment,
  table: 'orders',
  events: ['INSERT', 'UPDATE'],
  url: 'https://receiver.example/hooks',
  secret: 'signing-secret-1',
})
