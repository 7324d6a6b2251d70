import type {
  getWebhook,
  listWebhooks,
  Subscription,
} from '@surehook/contracts/http/webhooks/webhooks'
import type { ReplyOf } from '@surehook/contracts/operation'
import {
  type Answer,
  type Client,
  clientOf as clientBelow,
  headersOf,
} from '@surehook/scripts/client/call'
import type { Tenant } from './under-test.ts'

export type WebhooksClient = Client<Subscription> & {
  list(query?: string): Promise<Answer<ReplyOf<typeof listWebhooks>>>
  get(id: string): Promise<Answer<ReplyOf<typeof getWebhook>>>
}

/** A client that calls the service as `tenant`, below `/api/rest/_webhooks`. */
export function clientOf(api: string, tenant: Tenant): WebhooksClient {
  const { call } = clientBelow<Subscription>(`${api}/api/rest/_webhooks`, headersOf(tenant))
  return {
    call,
    list: (query = '') => call(`GET ${query}`),
    get: (id) => call(`GET /${id}`),
  }
}

export const validInput = ({ projectId, environment }: Tenant) => ({
  projectId,
  environment,
  table: 'orders',
  events: ['INSERT', 'UPDATE'],
  url: 'https://receiver.example/hooks',
  secret: 'signing-secret-1',
})
