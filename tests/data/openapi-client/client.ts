import createClient from 'openapi-fetch'
import type { paths as AuthPaths } from './auth.ts'
import type { paths as DataPaths } from './data.ts'
import type { paths as WebhookPaths } from './webhooks.ts'

/**
 * A program of a user: it knows only the types that a generator makes of the OpenAPI documents. The
 * test generates them beside it, compiles it, and calls it.
 */
export type Tenant = { baseUrl: string; projectId: string; environment: string; token: string }

export type Target = { url: string; secret: string }

function clients(baseUrl: string) {
  return {
    auth: createClient<AuthPaths>({ baseUrl }),
    data: createClient<DataPaths>({ baseUrl: `${baseUrl}/gw` }),
    webhooks: createClient<WebhookPaths>({ baseUrl: `${baseUrl}/gw` }),
  }
}

/** Creates a table and a webhook, signs a user up, and writes a record as that user. */
export async function writeAsUser(tenant: Tenant, { url, secret }: Target) {
  const { projectId, environment } = tenant
  const { auth, data, webhooks } = clients(tenant.baseUrl)
  const header = { 'x-project-id': projectId, environment }
  const headers = { authorization: `Bearer ${tenant.token}` }
  const table = await data.PUT('/api/rest/_tables/{table}', {
    params: { header, path: { table: 'orders' } },
    headers,
    body: {
      columns: [{ name: 'total', type: 'decimal', required: true }],
      access: { read: ['clerk'], create: ['clerk'] },
    },
  })
  const webhook = await webhooks.POST('/api/rest/_webhooks', {
    params: { header },
    headers,
    body: { projectId, environment, table: 'orders', events: ['INSERT'], url, secret },
  })
  const user = { email: 'ada@example.com', password: 'correct horse battery' }
  const signup = await auth.POST('/auth/signup', { params: { header }, body: user })
  const login = await auth.POST('/auth/login', { params: { header }, body: user })
  const record = await data.POST('/api/rest/{table}', {
    params: { header, path: { table: 'orders' } },
    headers: { authorization: `Bearer ${login.data?.accessToken}` },
    body: { total: '12.50' },
  })
  return {
    columnType: table.data?.columns[0]?.type,
    signupStatus: signup.response.status,
    record: record.data,
    webhookId: webhook.data?.id ?? '',
  }
}

export async function readWebhook(tenant: Tenant, id: string) {
  const { baseUrl, projectId, environment, token } = tenant
  const { data } = await clients(baseUrl).webhooks.GET('/api/rest/_webhooks/{id}', {
    params: { header: { 'x-project-id': projectId, environment }, path: { id } },
    headers: { authorization: `Bearer ${token}` },
  })
  return { active: data?.webhook.active, delivery: data?.deliveries[0]?.status }
}

/** Makes two mistakes, and returns what the documents say about the answers. */
export async function makeMistakes({ baseUrl, projectId, environment, token }: Tenant) {
  const { data, webhooks } = clients(baseUrl)
  const header = { 'x-project-id': projectId, environment }
  const headers = { authorization: `Bearer ${token}` }
  const missing = await data.GET('/api/rest/{table}/{id}', {
    params: { header, path: { table: 'nothing', id: 'x' } },
    headers,
  })
  const url = 'http://plain.example/'
  const invalid = await webhooks.POST('/api/rest/_webhooks', {
    params: { header },
    headers,
    body: { projectId, environment, table: 'orders', events: ['INSERT'], url, secret: 's' },
  })
  return {
    error: missing.error?.error,
    fields: invalid.error?.violations?.map(({ field }) => field),
  }
}
