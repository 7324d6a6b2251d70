import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { headersOf } from '@surehook/scripts/client/call'
import { auditServer } from 'graphql-http'
import { clientOf } from './support/client.ts'
import { openWorld, type Running, type Tenant, type World } from './support/under-test.ts'

let world: World
let service: Running
let tenant: Tenant

beforeAll(async () => {
  world = await openWorld()
  service = await world.startService()
  tenant = await world.tenant()
  await world.setUp(tenant, { auth: { enabled: true } })
  const columns = [{ name: 'status', type: 'text' }]
  await clientOf(service.api, tenant).call('PUT _tables/orders', { columns })
})
afterAll(async () => {
  await service?.[Symbol.asyncDispose]()
  await world?.[Symbol.asyncDispose]()
})

it('passes the audit of GraphQL over HTTP without warnings', async () => {
  const results = await auditServer({
    url: `${service.api}/api/graphql`,
    fetchFn: (url: string, init: RequestInit = {}) =>
      fetch(url, { ...init, headers: { ...headersOf(tenant), ...(init.headers as object) } }),
  })
  const failed = results.filter(({ status }) => status === 'warn' || status === 'error')
  expect(failed.map(({ id, name }) => [id, name])).toEqual([])
  // These audits expect GET, which the endpoint does not serve.
  const optional = results.filter(({ status }) => status === 'notice')
  expect(optional.map(({ id }) => id).toSorted()).toEqual(['5A70', '6A70', 'D6D5'])
})

type RefusedRequest = { headers?: Record<string, string>; body?: string; user?: true }

const question = '{ orders { nextCursor } }'

it.each<[string, RefusedRequest, number, string]>([
  ['no credential', { headers: { authorization: '' } }, 401, 'AUTH_TOKEN_INVALID'],
  ['a wrong token', { headers: { authorization: 'Bearer x' } }, 401, 'AUTH_TOKEN_INVALID'],
  ['no such environment', { headers: { environment: 'none' } }, 404, 'ENVIRONMENT_NOT_FOUND'],
  ['a table of others', { user: true }, 403, 'FORBIDDEN'],
  ['another type', { headers: { 'content-type': 'text/a' } }, 415, 'UNSUPPORTED_MEDIA_TYPE'],
  ['no JSON', { body: '{' }, 400, 'VALIDATION_ERROR'],
  ['no request', { body: '{}' }, 400, 'VALIDATION_ERROR'],
])('%s is refused with the status of REST', async (_what, refused, status, code) => {
  const { headers, body = JSON.stringify({ query: question }), user } = refused
  const token = user ? await world.issuer.token(tenant) : tenant.token
  for (const accept of ['application/json', 'application/graphql-response+json']) {
    const answer = await fetch(`${service.api}/api/graphql`, {
      method: 'POST',
      headers: {
        ...{ ...headersOf({ ...tenant, token }), 'content-type': 'application/json', accept },
        ...headers,
      },
      body,
    })
    const answered = [answer.status, answer.headers.get('content-type')]
    expect(answered).toEqual([status, `${accept}; charset=utf-8`])
    expect(answer.headers.get('www-authenticate')).toBe(status === 401 ? 'Bearer' : null)
    const { errors, ...rest } = (await answer.json()) as { errors: object[] }
    expect(errors).toMatchObject([{ extensions: { code } }])
    expect(rest).toEqual({})
  }
})
