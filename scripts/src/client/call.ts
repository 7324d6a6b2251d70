import type { Problem } from '@surehook/contracts/problem'

/** A record. */
export type Fields = Record<string, unknown> & { id: string; createdAt: string; updatedAt: string }

/** A page of records. */
export type Records = { records: Fields[]; nextCursor: string | null }

/**
 * An answer to a caller that expects `T`, which is a type of the contract. A refusal has the fields
 * of a problem instead.
 */
export type Answer<T = Fields> = {
  status: number
  headers: Headers
  text: string
  body: T & Partial<Problem>
  list: Fields[]
}

/** A header with the value `undefined` is left out. */
export type RequestHeaders = Record<string, string | undefined>

export type Call = { body?: unknown; headers?: RequestHeaders }

/** Ends only a call that hangs, so it allows for a slow and busy machine. */
const hangsAfterMs = 60_000

/** Calls an API: `send(baseUrl, 'PATCH /gw/api/rest/orders/1', { body: { a: 1 } })`. */
export async function send<T = Fields>(
  baseUrl: string,
  request: string,
  call: Call = {},
): Promise<Answer<T>> {
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
    signal: AbortSignal.timeout(hangsAfterMs),
  })
  const text = await response.text()
  const body = (isJson(response) && text !== '' ? JSON.parse(text) : {}) as Answer<T>['body']
  const list = Array.isArray(body) ? (body as Fields[]) : []
  return { status: response.status, headers: response.headers, text, body, list }
}

const isJson = ({ headers }: Response) => /[/+]json/.test(headers.get('content-type') ?? '')

function bodyText(body: unknown): string | null {
  if (body === undefined) return null
  return typeof body === 'string' ? body : JSON.stringify(body)
}

/** `Usual` is what most of its calls expect. */
export type Client<Usual = Fields> = {
  call<T = Usual>(request: string, body?: unknown, headers?: RequestHeaders): Promise<Answer<T>>
}

/**
 * Calls paths below `url`: `call('PATCH orders/1', { a: 1 })`. Headers of the call override
 * `headers`.
 */
export const clientOf = <Usual = Fields>(url: string, headers: RequestHeaders): Client<Usual> => ({
  call: (request, body, more) => send(url, request, { body, headers: { ...headers, ...more } }),
})

/** The credentials of a tenant, as headers. */
export const headersOf = (tenant: { projectId: string; environment: string; token: string }) => ({
  authorization: `Bearer ${tenant.token}`,
  'x-project-id': tenant.projectId,
  environment: tenant.environment,
})

/** Returns the fields that a 400 names. */
export const fieldsOf = ({ body }: Answer<unknown>): string[] =>
  (body.violations ?? []).map(({ field }) => field)

export function expectStatus<A extends Answer<unknown>>(status: number, answer: A): A {
  if (answer.status === status) return answer
  throw new Error(`expected ${status}, got ${answer.status}: ${answer.text}`)
}

export type Platform = { baseUrl: string; adminToken: string }

/** Calls `/auth/admin/projects…` with the administration token, unless `headers` say otherwise. */
export function admin<T = Fields>(
  { baseUrl, adminToken }: Platform,
  ...call: Parameters<Client['call']>
): Promise<Answer<T>> {
  const authorization = `Bearer ${adminToken}`
  return clientOf(`${baseUrl}/auth/admin/projects`, { authorization }).call(...call)
}
