import { randomUUID } from 'node:crypto'
import type { Delivery, Subscription } from '@surehook/contracts/http/webhooks'
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

/** The names of the fields that a 400 complains about. */
export const fieldsOf = ({ body }: Answer): string[] =>
  (body.violations ?? []).map(({ field }) => field)

export type Door = { baseUrl: string; adminToken: string }

/** One (project, environment) with a management token, seen through the gateway. */
export class Tenant {
  readonly projectId: string
  readonly environment: string
  readonly token: string
  readonly #door: Door

  constructor(door: Door, names: { projectId: string; environment: string; token: string }) {
    this.#door = door
    this.projectId = names.projectId
    this.environment = names.environment
    this.token = names.token
  }

  get headers(): Headed {
    return {
      authorization: `Bearer ${this.token}`,
      'x-project-id': this.projectId,
      environment: this.environment,
    }
  }

  /** `rest('POST orders', { … })`: below `/gw/api/rest/`. */
  rest(request: string, body?: unknown, headers: Headed = {}): Promise<Answer> {
    const [method, path = ''] = request.split(' ')
    return send(this.#door.baseUrl, `${method} /gw/api/rest/${path}`, {
      body,
      headers: { ...this.headers, ...headers },
    })
  }

  /** `webhooks('GET /{id}')`: below `/gw/api/rest/_webhooks`. */
  webhooks(request: string, body?: unknown, headers: Headed = {}): Promise<Answer> {
    const [method, path = ''] = request.split(' ')
    return this.rest(`${method} _webhooks${path}`, body, headers)
  }

  async putTable(table: string, columns: Record<string, string> = defaultColumns): Promise<void> {
    const wanted = Object.entries(columns).map(([name, type]) => ({ name, type }))
    expectStatus(200, await this.rest(`PUT _tables/${table}`, { columns: wanted }))
  }

  /** A subscription to every event of `orders`, unless `fields` say otherwise. */
  async subscribe(url: string, fields: object = {}): Promise<Subscription> {
    const answer = await this.webhooks('POST', { ...this.subscriptionInput(url), ...fields })
    return expectStatus(201, answer).body
  }

  subscriptionInput(url: string) {
    return {
      projectId: this.projectId,
      environment: this.environment,
      table: 'orders',
      events: ['INSERT', 'UPDATE', 'DELETE'],
      url,
      secret: defaultSecret,
    }
  }

  async insert(fields: object = {}, table = 'orders'): Promise<Fields> {
    return expectStatus(201, await this.rest(`POST ${table}`, fields)).body
  }

  async deliveries(subscriptionId: string): Promise<Delivery[]> {
    return expectStatus(200, await this.webhooks(`GET /${subscriptionId}`)).body.deliveries
  }
}

export const defaultSecret = 'a-signing-secret'

const defaultColumns = { status: 'text', n: 'integer', note: 'text' }

export function expectStatus(status: number, answer: Answer): Answer {
  if (answer.status === status) return answer
  throw new Error(`expected ${status}, got ${answer.status}: ${answer.text}`)
}

export function admin(door: Door, request: string, body?: unknown): Promise<Answer> {
  const [method, path = ''] = request.split(' ')
  return send(door.baseUrl, `${method} /auth/admin/projects${path}`, {
    body,
    headers: { authorization: `Bearer ${door.adminToken}` },
  })
}

export type TenantOptions = { projectId?: string; environment?: string; tokenFor?: string[] }

/** Makes the environment and a token for it (for all of the project's, unless `tokenFor` says). */
export async function createTenant(door: Door, options: TenantOptions = {}): Promise<Tenant> {
  const { projectId = `p-${randomUUID()}`, environment = 'master', tokenFor } = options
  const path = `/${projectId}/environments/${environment}`
  expectStatus(200, await admin(door, `PUT ${path}`, {}))
  const token = await admin(door, `POST /${projectId}/management-tokens`, {
    name: 'tests',
    environments: tokenFor,
  })
  return new Tenant(door, { projectId, environment, token: expectStatus(201, token).body.token })
}
