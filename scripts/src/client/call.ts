import type { Environment, ManagementToken } from '@surehook/contracts/http/admin/admin'
import type { LoggedIn } from '@surehook/contracts/http/auth'
import type { Table } from '@surehook/contracts/http/data/tables'
import type { Delivery, Subscription } from '@surehook/contracts/http/webhooks/webhooks'
import type { Problem } from '@surehook/contracts/problem'

export type Fields = Record<string, unknown> & { id: string; createdAt: string; updatedAt: string }

// Every field that an answer may have. Each test states the ones it expects.
export type Body = Fields &
  Problem &
  Subscription &
  Table &
  Environment &
  ManagementToken &
  LoggedIn & {
    userId: string
    keys: Record<string, string>[]
    projects: { id: string; environments: string[]; createdAt: string }[]
    tokens: ManagementToken[]
    tables: Table[]
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

/** A header with the value `undefined` is left out. */
export type RequestHeaders = Record<string, string | undefined>

export type Call = { body?: unknown; headers?: RequestHeaders }

/** Calls an API: `send(baseUrl, 'PATCH /gw/api/rest/orders/1', { body: { a: 1 } })`. */
export async function send(baseUrl: string, request: string, call: Call = {}): Promise<Answer> {
  const [method = 'GET', path = ''] = request.split(' ')
  const given: RequestHeaders = {
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

const isJson = ({ headers }: Response) => /[/+]json/.test(headers.get('content-type') ?? '')

function bodyText(body: unknown): string | null {
  if (body === undefined) return null
  return typeof body === 'string' ? body : JSON.stringify(body)
}

export type Client = {
  call(request: string, body?: unknown, headers?: RequestHeaders): Promise<Answer>
}

/**
 * Calls paths below `url`: `call('PATCH orders/1', { a: 1 })`. Headers of the call override
 * `headers`.
 */
export const clientOf = (url: string, headers: RequestHeaders): Client => ({
  call: (request, body, more) => send(url, request, { body, headers: { ...headers, ...more } }),
})

/** The credentials of a tenant, as headers. */
export const headersOf = (tenant: { projectId: string; environment: string; token: string }) => ({
  authorization: `Bearer ${tenant.token}`,
  'x-project-id': tenant.projectId,
  environment: tenant.environment,
})

/** Returns the fields that a 400 names. */
export const fieldsOf = ({ body }: Answer): string[] =>
  (body.violations ?? []).map(({ field }) => field)

export function expectStatus(status: number, answer: Answer): Answer {
  if (answer.status === status) return answer
  throw new Error(`expected ${status}, got ${answer.status}: ${answer.text}`)
}

export type Platform = { baseUrl: string; adminToken: string }

/** Calls `/auth/admin/projects…` with the administration token, unless `headers` say otherwise. */
export function admin(
  { baseUrl, adminToken }: Platform,
  ...call: Parameters<Client['call']>
): Promise<Answer> {
  const authorization = `Bearer ${adminToken}`
  return clientOf(`${baseUrl}/auth/admin/projects`, { authorization }).call(...call)
}
