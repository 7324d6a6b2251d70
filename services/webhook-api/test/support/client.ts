import type { Delivery, Subscription } from '@surehook/contracts/http/webhooks/webhooks'
import type { Problem } from '@surehook/contracts/problem'
import type { Tenant } from './under-test.ts'

// Every field that an answer may have; the tests say which ones they expect.
export type Body = Subscription &
  Problem & { webhook: Subscription; deliveries: Delivery[]; deliveryId: string; count: number } & {
    webhooks: Subscription[]
    nextCursor: string | null
  }
export type Answer = { status: number; headers: Headers; text: string; body: Body }

export type Client = {
  call(method: string, path: string, ...rest: [body?: unknown, headers?: Headed]): Promise<Answer>
}
type Headed = Record<string, string | undefined>

/** Calls the service as `tenant`; a header given as `undefined` is left out. */
export function clientOf(api: string, tenant: Tenant): Client {
  return {
    async call(method, path, ...[body, headers]) {
      const given: Headed = {
        authorization: `Bearer ${tenant.token}`,
        'x-project-id': tenant.projectId,
        environment: tenant.environment,
        'content-type': body === undefined ? undefined : 'application/json',
        ...headers,
      }
      const sent = Object.entries(given).filter((entry): entry is [string, string] => !!entry[1])
      const response = await fetch(`${api}/api/rest/_webhooks${path}`, {
        method,
        headers: sent,
        body:
          body === undefined || typeof body === 'string' ? (body ?? null) : JSON.stringify(body),
      })
      const text = await response.text()
      const parsed = text === '' ? {} : JSON.parse(text)
      return { status: response.status, headers: response.headers, text, body: parsed as Body }
    },
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
