import { randomUUID } from 'node:crypto'
import type { createManagementToken } from '@surehook/contracts/http/admin/admin'
import type { testWebhook } from '@surehook/contracts/http/webhooks/deliveries'
import type {
  Delivery,
  getWebhook,
  listWebhooks,
  Subscription,
} from '@surehook/contracts/http/webhooks/webhooks'
import type { ReplyOf } from '@surehook/contracts/operation'
import {
  type Answer,
  admin,
  type Client,
  clientOf,
  expectStatus,
  type Fields,
  headersOf,
  type Platform,
  type RequestHeaders,
} from './call.ts'
import { askGraphQL, type GraphQLAnswer } from './graphql.ts'

/** An environment with a management token, called through the gateway. */
export class Tenant {
  readonly projectId: string
  readonly environment: string
  readonly token: string
  readonly #baseUrl: string
  /** Calls paths below `/gw/api/rest/`. */
  readonly #client: Client

  constructor(
    { baseUrl }: Pick<Platform, 'baseUrl'>,
    names: { projectId: string; environment: string; token: string },
  ) {
    this.projectId = names.projectId
    this.environment = names.environment
    this.token = names.token
    this.#baseUrl = baseUrl
    this.#client = clientOf(`${baseUrl}/gw/api/rest/`, this.headers)
  }

  get headers() {
    return headersOf(this)
  }

  /** `rest('POST orders', { … })` calls a path below `/gw/api/rest/`. */
  rest<T = Fields>(...call: Parameters<Client['call']>): Promise<Answer<T>> {
    return this.#client.call(...call)
  }

  /** `webhooks('GET /{id}')` calls a path below `/gw/api/rest/_webhooks`. */
  webhooks<T = Subscription>(
    ...[request, ...call]: Parameters<Client['call']>
  ): Promise<Answer<T>> {
    const [method, path = ''] = request.split(' ')
    return this.rest(`${method} _webhooks${path}`, ...call)
  }

  graphql<T = Fields>(
    query: string,
    variables: object = {},
    headers: RequestHeaders = {},
  ): Promise<GraphQLAnswer<T>> {
    const url = `${this.#baseUrl}/gw/api/graphql`
    return askGraphQL(url, { ...this.headers, ...headers }, { query, variables })
  }

  async putTable(table: string, columns: Record<string, string> = defaultColumns): Promise<void> {
    const wanted = Object.entries(columns).map(([name, type]) => ({ name, type }))
    expectStatus(200, await this.rest(`PUT _tables/${table}`, { columns: wanted }))
  }

  /** Creates a subscription to every event of `orders`, unless `fields` override this. */
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

  /** Returns a page of the subscriptions: `subscriptions('?limit=2')`. */
  async subscriptions(query = ''): Promise<ReplyOf<typeof listWebhooks>> {
    return expectStatus(200, await this.webhooks<ReplyOf<typeof listWebhooks>>(`GET ${query}`)).body
  }

  async insert(fields: object = {}, table = 'orders'): Promise<Fields> {
    return expectStatus(201, await this.rest(`POST ${table}`, fields)).body
  }

  /** Sends a test event. */
  async sendTest(subscriptionId: string): Promise<ReplyOf<typeof testWebhook>> {
    const answer = await this.webhooks<ReplyOf<typeof testWebhook>>(`POST /${subscriptionId}/test`)
    return expectStatus(202, answer).body
  }

  async deliveries(subscriptionId: string): Promise<Delivery[]> {
    const answer = await this.webhooks<ReplyOf<typeof getWebhook>>(`GET /${subscriptionId}`)
    return expectStatus(200, answer).body.deliveries
  }
}

export const defaultSecret = 'a-signing-secret'

const defaultColumns = { status: 'text', n: 'integer', note: 'text' }

export type TenantOptions = { projectId?: string; environment?: string; tokenFor?: string[] }

/**
 * Creates the environment and a token for it. The default token is valid for all environments of
 * the project.
 */
export async function createTenant(
  platform: Platform,
  options: TenantOptions = {},
): Promise<Tenant> {
  const { projectId = `p-${randomUUID()}`, environment = 'master', tokenFor } = options
  const path = `/${projectId}/environments/${environment}`
  expectStatus(200, await admin(platform, `PUT ${path}`, {}))
  const { token } = await createToken(platform, projectId, { environments: tokenFor })
  return new Tenant(platform, { projectId, environment, token })
}

export type NewToken = ReplyOf<typeof createManagementToken>

/** Creates a management token of the project. */
export async function createToken(
  platform: Platform,
  projectId: string,
  fields: object = {},
): Promise<NewToken> {
  const input = { name: 'tests', ...fields }
  const answer = await admin<NewToken>(platform, `POST /${projectId}/management-tokens`, input)
  return expectStatus(201, answer).body
}
