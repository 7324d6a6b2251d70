import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { type Client } from '@surehook/scripts/client/call'
import type { TokenOptions } from '@surehook/testing/user-issuer'
import { getIntrospectionQuery } from 'graphql'
import { clientOf } from './support/client.ts'
import { type GraphQLClient, graphqlClientOf } from './support/graphql-client.ts'
import { openWorld, type Running, type Tenant, type World } from './support/under-test.ts'

let world: World
let service: Running
let tenant: Tenant
let manager: Client
let recordId: string

beforeAll(async () => {
  world = await openWorld()
  service = await world.startService()
  tenant = await usersTenant()
  manager = clientOf(service.api, tenant)
  const columns = [{ name: 'status', type: 'text' }]
  await manager.call('PUT _tables/orders', {
    columns,
    access: {
      read: ['reader', 'all'],
      create: ['writer', 'all'],
      update: ['all'],
      delete: ['all'],
    },
  })
  await manager.call('PUT _tables/posts', { columns, access: { read: ['writer'] } })
  await manager.call('PUT _tables/secrets', { columns: [{ name: 'hidden_field', type: 'text' }] })
  recordId = (await manager.call('POST orders', { status: 'there' })).body.id
})
afterAll(async () => {
  await service?.[Symbol.asyncDispose]()
  await world?.[Symbol.asyncDispose]()
})

async function usersTenant(): Promise<Tenant> {
  const made = await world.tenant()
  await world.setUp(made, { auth: { enabled: true } })
  return made
}

async function userOf(of: Tenant, options: TokenOptions = {}): Promise<GraphQLClient> {
  return graphqlClientOf(service.api, { ...of, token: await world.issuer.token(of, options) })
}

const operations = () => [
  '{ orders { records { id } } }',
  `{ order(id: "${recordId}") { id } }`,
  'mutation { createOrder(input: { status: "x" }) { id } }',
  'mutation { createOrders(input: [{ status: "x" }]) { id } }',
  `mutation { updateOrder(id: "${recordId}", input: { status: "y" }) { id } }`,
  `mutation { deleteOrder(id: "${randomUUID()}") { id } }`,
]

async function codesOf(ask: GraphQLClient): Promise<string[]> {
  const codes: string[] = []
  for (const query of operations()) codes.push((await ask(query)).codes.join() || 'ok')
  return codes
}

/** The answer is the same for every query. */
const refusal = JSON.stringify({
  errors: [{ message: 'None of your roles allows this', extensions: { code: 'FORBIDDEN' } }],
})

describe('over GraphQL', () => {
  it('a user may do what access grants, and nothing by default', async () => {
    const no = 'FORBIDDEN'
    expect(await codesOf(await userOf(tenant))).toEqual([no, no, no, no, no, no])
    expect(await codesOf(await userOf(tenant, { roles: ['reader'] }))).toEqual([
      'ok',
      'ok',
      no,
      no,
      no,
      no,
    ])
    expect(await codesOf(await userOf(tenant, { roles: ['writer'] }))).toEqual([
      no,
      no,
      'ok',
      'ok',
      no,
      no,
    ])
    const all = await codesOf(await userOf(tenant, { roles: ['all'], encrypted: true }))
    expect(all).toEqual(['ok', 'ok', 'ok', 'ok', 'ok', 'RECORD_NOT_FOUND'])
  })

  it('permission to write shows no fields', async () => {
    const ask = await userOf(tenant, { roles: ['writer'] })
    const { data, errors } = await ask(
      'mutation { createOrder(input: { status: "x" }) { id status } }',
    )
    expect(errors).toEqual([])
    expect(data?.['createOrder']).toEqual({ id: expect.any(String), status: null })
  })

  it('a forbidden operation does not affect the others', async () => {
    const ask = await userOf(tenant, { roles: ['writer'] })
    const { data, errors } = await ask('{ posts { nextCursor } orders { nextCursor } }')
    expect(data).toEqual({ posts: { nextCursor: null }, orders: null })
    expect(errors).toMatchObject([{ path: ['orders'], extensions: { code: 'FORBIDDEN' } }])
  })

  it.each([
    '{ secrets { records { hidden_field } } }',
    '{ secrets { records { hidden_fiel } } }',
    '{ secrets(where: { hidden_field: { eq: "x" } }) { nextCursor } }',
    '{ secrets(where: { other: { eq: "x" } }) { nextCursor } }',
    '{ __typename ...f } fragment f on Secret { hidden_fiel }',
    'mutation { createSecret(input: { other: 1 }) { id } }',
  ])('a user without any permission on a table cannot guess its columns: %s', async (query) => {
    const { text } = await (await userOf(tenant, { roles: ['reader'] }))(query)
    expect(text).toBe(refusal)
  })

  it('nor with the types of variables', async () => {
    const ask = await userOf(tenant, { roles: ['reader'] })
    const query = 'query ($w: Secret_where) { secrets(where: $w) { nextCursor } }'
    for (const w of [{ hidden_field: { eq: 'x' } }, { other: { eq: 'x' } }]) {
      expect((await ask(query, { w })).text).toBe(refusal)
    }
  })

  it('the schema has only the parts that a user may use', async () => {
    const schemaOf = async (roles: string[]) =>
      (await (await userOf(tenant, { roles }))(getIntrospectionQuery())).text
    expect(await schemaOf(['reader'])).toContain('createOrder')
    expect(await schemaOf(['reader'])).not.toMatch(/secret|hidden/i)
    expect(await schemaOf([])).not.toMatch(/order|secret/i)
    const whole = await graphqlClientOf(service.api, tenant)(getIntrospectionQuery())
    expect(whole.text).toContain('hidden_field')
  })

  it('users get their own faults, without hints at other columns', async () => {
    const { codes, errors } = await (await userOf(tenant, { roles: ['reader'] }))(
      '{ secre { id } ordes { id } }',
    )
    expect(codes).toEqual(['VALIDATION_ERROR', 'VALIDATION_ERROR'])
    expect(errors.map(({ message }) => message)).toEqual([
      'Cannot query field "secre" on type "Query".',
      'Cannot query field "ordes" on type "Query". Did you mean "order" or "orders"?',
    ])
  })

  it.each([{ encrypted: false }, { encrypted: true }])(
    'a revoked token is refused at once: %j',
    async (form) => {
      const sid = randomUUID()
      const ask = await userOf(tenant, { roles: ['all'], sid, ...form })
      expect((await ask('{ orders { nextCursor } }')).codes).toEqual([])
      await world.issuer.revoke(tenant, sid)
      for (const query of operations()) {
        const { status, codes, data } = await ask(query)
        expect({ status, codes, data }).toEqual({
          status: 401,
          codes: ['AUTH_TOKEN_INVALID'],
          data: null,
        })
      }
    },
  )

  it.each([
    ['', 'AUTH_TOKEN_INVALID'],
    ['Bearer x', 'AUTH_TOKEN_INVALID'],
    [`Bearer mt_${'A'.repeat(43)}`, 'MANAGEMENT_TOKEN_INVALID'],
  ])('no good credential: %s', async (authorization, code) => {
    const { status, codes } = await graphqlClientOf(service.api, tenant)(
      '{ orders { nextCursor } }',
      {},
      {
        authorization,
      },
    )
    expect({ status, codes }).toEqual({ status: 401, codes: [code] })
  })

  it('a missing environment is reported only to authorised callers', async () => {
    const ask = graphqlClientOf(service.api, { ...tenant, environment: 'none' })
    expect((await ask('{ __typename }')).codes).toEqual(['ENVIRONMENT_NOT_FOUND'])
  })

  it('an invalid GraphQL request is 400, another method 405', async () => {
    const post = (body: unknown) =>
      fetch(`${service.api}/api/graphql`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${tenant.token}`,
          'x-project-id': tenant.projectId,
          'content-type': 'application/json',
        },
        body: JSON.stringify(body),
      })
    for (const body of [{}, { query: 1 }, { query: '{ a }', variables: [] }, [1]]) {
      expect((await post(body)).status).toBe(400)
    }
    const got = await fetch(`${service.api}/api/graphql?query={a}`)
    expect([got.status, got.headers.get('allow')]).toEqual([405, 'POST'])
  })
})
