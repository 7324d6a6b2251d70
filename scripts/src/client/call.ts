import type { Delivery, Subscription } from '@surehook/contracts/http/webhooks/webhooks'
import type { Problem } from '@surehook/contracts/problem'

export type Fields = Record<string, unknown> & { id: string; createdAt: string; updatedAt: string }

// Every field that an answer may have; the tests say which ones they expect.
export type Body = Fields &
  Problem &
  Subscription & {
    token: string
    webhook: Subscription
    deliveries: Delivery[]
    webhooks: Subscription[]
    deliveryId: string
    eventId: string
    count: number
    records: Fields[]
    nextCursor: string | null
  }

export type Answer = { status: number; headers: Headers; text: string; body: Body; list: Fields[] }

/** A header given as `undefined` is left out. */
export type Headed = Record<string, string | undefined>

export type Call = { body?: unknown; headers?: Headed }

/** Calls the gateway: `send(baseUrl, 'PATCH /gw/api/rest/orders/1', { body: { a: 1 } })`. */
export async function send(baseUrl: string, request: string, call: Call = {}): Promise<Answer> {
  const [method = 'GET', path = ''] = request.split(' ')
  const given: Headed = {
    'content-type': call.body === undefined ? undefined : 'application/json',
    ...call.headers,
  }
  const headers = Object.entries(given).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  )
  const response = await fetch(`${baseUrl}${path}`, {
    method,
    headers,
    body: bodyText(call.body),
    signal: AbortSignal.timeout(20_000),
  })
  const text = await response.text()
  const body = (isJson(response) && text !== '' ? JSON.parse(text) : {}) as Body
  const list = Array.isArray(body) ? (body as Fields[]) : []
  return { status: response.status, headers: response.headers, text, body, list }
}

const isJson = ({ headers }: Response) => headers.get('content-type')?.includes('json') ?? false

function bodyText(body: unknown): string | null {
  if (body === undefined) return null
  return typeof body === 'string' ? body : JSON.stringify(body)
}

export function expectStatus(status: number, answer: Answer): Answer {
  if (answer.status === status) return answer
  throw new Error(`expected ${status}, got ${answer.status}: ${answer.text}`)
}

export type Platform = { baseUrl: string; adminToken: string }

export function admin(platform: Platform, request: string, body?: unknown): Promise<Answer> {
  const [method, path = ''] = request.split(' ')
  return send(platform.baseUrl, `${method} /auth/admin/projects${path}`, {
    body,
    headers: { authorization: `Bearer ${platform.adminToken}` },
  })
}
