import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { admin, expectStatus } from '@surehook/scripts/client/call'
import { defaultSecret } from '@surehook/scripts/client/tenant'
import createClient from 'openapi-fetch'
import type { paths as AuthPaths } from '../generated/auth.ts'
import type { paths as DataPaths } from '../generated/data.ts'
import type { paths as WebhookPaths } from '../generated/webhooks.ts'
import { newPath } from '../support/listening-world.ts'
import { openSharedWorld, type SharedWorld } from '../support/shared/shared-world.ts'
import { eventually, payloadOf } from '../support/world.ts'

let world: SharedWorld

beforeAll(async () => {
  world = await openSharedWorld()
})
afterAll(async () => {
  await world?.[Symbol.asyncDispose]()
})

/** Generated clients, with only the types that the OpenAPI documents define. */
function clients() {
  const { baseUrl } = world.system
  return {
    auth: createClient<AuthPaths>({ baseUrl }),
    data: createClient<DataPaths>({ baseUrl: `${baseUrl}/gw` }),
    webhooks: createClient<WebhookPaths>({ baseUrl: `${baseUrl}/gw` }),
  }
}

it('creates a table, subscribes, signs a user up, writes as that user and sees the delivery', async () => {
  const { auth, data, webhooks } = clients()
  const tenant = await world.tenant()
  const { projectId, environment } = tenant
  const settings = { auth: { emailVerification: false, defaultRole: 'clerk' } }
  const place = `/${projectId}/environments/${environment}`
  expectStatus(201, await admin(world.system, `POST ${place}/roles`, { name: 'clerk' }))
  expectStatus(200, await admin(world.system, `PUT ${place}`, settings))
  const header = { 'x-project-id': projectId, environment }
  const asOwner = { authorization: `Bearer ${tenant.token}` }

  const table = await data.PUT('/api/rest/_tables/{table}', {
    params: { header, path: { table: 'orders' } },
    headers: asOwner,
    body: {
      columns: [{ name: 'total', type: 'decimal', required: true }],
      access: { read: ['clerk'], create: ['clerk'] },
    },
  })
  expect(table.data?.columns[0]?.type).toBe('decimal')

  const path = newPath()
  const created = await webhooks.POST('/api/rest/_webhooks', {
    params: { header },
    headers: asOwner,
    body: {
      projectId,
      environment,
      table: 'orders',
      events: ['INSERT'],
      url: world.receiver.url(path),
      secret: defaultSecret,
    },
  })
  const id = created.data?.id ?? ''

  const email = 'ada@example.com'
  const password = 'correct horse battery'
  const signup = await auth.POST('/auth/signup', { params: { header }, body: { email, password } })
  expect(signup.response.status).toBe(201)
  const login = await auth.POST('/auth/login', { params: { header }, body: { email, password } })
  const asUser = { authorization: `Bearer ${login.data?.accessToken}` }

  const record = await data.POST('/api/rest/{table}', {
    params: { header, path: { table: 'orders' } },
    headers: asUser,
    body: { total: '12.50' },
  })
  expect(record.data).toMatchObject({ total: '12.50' })
  const [receipt] = await world.receiver.waitFor(path, 1)
  expect(receipt && payloadOf(receipt).record).toEqual(record.data)

  const shown = () =>
    webhooks.GET('/api/rest/_webhooks/{id}', {
      params: { header, path: { id } },
      headers: asOwner,
    })
  const { data: detail } = await eventually(
    shown,
    (answer) => answer.data?.deliveries[0]?.status === 'delivered',
  )
  expect(detail).toMatchObject({ webhook: { id, active: true }, deliveries: [{ attempts: 1 }] })
})

it('gets errors in the documented form', async () => {
  const { data, webhooks } = clients()
  const { projectId, environment, token } = await world.tenant()
  const header = { 'x-project-id': projectId, environment }
  const headers = { authorization: `Bearer ${token}` }
  const missing = await data.GET('/api/rest/{table}/{id}', {
    params: { header, path: { table: 'nothing', id: 'x' } },
    headers,
  })
  expect(missing.error?.error).toBe('TABLE_NOT_FOUND')
  const invalid = await webhooks.POST('/api/rest/_webhooks', {
    params: { header },
    headers,
    body: {
      projectId,
      environment,
      table: 'orders',
      events: ['INSERT'],
      url: 'http://plain.example/',
      secret: 's',
    },
  })
  expect(invalid.error?.violations?.map(({ field }) => field)).toEqual(['url'])
})
