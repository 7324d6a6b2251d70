import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { auditServer } from 'graphql-http'
import { type AuthClient, openAuthClient } from './support/auth-client.ts'
import { openWorld, type Running, type World } from './support/under-test.ts'

let world: World
let service: Running
let client: AuthClient

beforeAll(async () => {
  world = await openWorld()
  service = await world.startService()
  client = await openAuthClient(service.api)
})
afterAll(async () => {
  await service?.[Symbol.asyncDispose]()
  await world?.[Symbol.asyncDispose]()
})

const json = 'application/json; charset=utf-8'
const graphql = 'application/graphql-response+json; charset=utf-8'

type GraphQLCall = { body?: string; headers?: Record<string, string> }

async function ask(accept: string, { body = '{}', headers = {} }: GraphQLCall) {
  const here = { 'x-project-id': client.projectId, 'content-type': 'application/json', accept }
  const response = await fetch(`${service.api}/auth/graphql`, {
    method: 'POST',
    headers: { ...here, ...headers },
    body,
  })
  const { errors, ...rest } = (await response.json()) as {
    data?: unknown
    errors?: { extensions: { code: string } }[]
  }
  const codes = errors?.map(({ extensions }) => extensions.code)
  const type = response.headers.get('content-type')
  return { answered: [response.status, type, codes], rest }
}

const query = (text: string, variables: object = {}) => JSON.stringify({ query: text, variables })

it('passes the audit of GraphQL over HTTP without warnings', async () => {
  const headers = { 'x-project-id': client.projectId }
  const results = await auditServer({
    url: `${service.api}/auth/graphql`,
    fetchFn: (url: string, init: RequestInit = {}) =>
      fetch(url, { ...init, headers: { ...headers, ...(init.headers as object) } }),
  })
  const failed = results.filter(({ status }) => status === 'warn' || status === 'error')
  expect(failed.map(({ id, name }) => [id, name])).toEqual([])
  // These audits expect GET, which the endpoint does not serve.
  const optional = results.filter(({ status }) => status === 'notice')
  expect(optional.map(({ id }) => id).toSorted()).toEqual(['5A70', '6A70', 'D6D5'])
})

describe('over GraphQL', () => {
  it.each([
    ['application/json', json],
    ['application/graphql-response+json', graphql],
    ['application/graphql-response+json; charset=utf-8, application/json; charset=utf-8', graphql],
    ['application/graphql-response+json;q=0.5, application/json', json],
    ['application/graphql-response+json, application/json;q=0.9', graphql],
    ['*/*', json],
    ['text/html', json],
  ])('the answer to Accept: %s is %s', async (accept, type) => {
    const { answered, rest } = await ask(accept, { body: query('{ __typename }') })
    expect(answered).toEqual([200, type, undefined])
    expect(rest).toEqual({ data: { __typename: 'Query' } })
  })

  const limits = query(`{ ${'a: __typename '.repeat(70)} }`)
  const nested = query('{ a '.repeat(300))
  const tokens = query(`{ ${'__typename '.repeat(1_100)} }`)
  it.each<[string, GraphQLCall, number, string]>([
    ['no such project', { headers: { 'x-project-id': 'nobody' } }, 404, 'AUTH_NOT_CONFIGURED'],
    ['no project', { headers: { 'x-project-id': '' } }, 400, 'VALIDATION_ERROR'],
    ['another type', { headers: { 'content-type': 'text/plain' } }, 415, 'UNSUPPORTED_MEDIA_TYPE'],
    ['no JSON', { body: '{"query": ' }, 400, 'VALIDATION_ERROR'],
    ['no request', { body: '{}' }, 400, 'VALIDATION_ERROR'],
    ['a body that is too large', { body: ' '.repeat(2 ** 21) }, 413, 'PAYLOAD_TOO_LARGE'],
    ['too many aliases', { body: limits }, 400, 'VALIDATION_ERROR'],
    ['too many levels', { body: nested }, 400, 'VALIDATION_ERROR'],
    ['too many tokens', { body: tokens }, 400, 'VALIDATION_ERROR'],
  ])('%s is refused with the status of REST', async (_what, sent, status, code) => {
    for (const [accept, type] of [
      ['application/json', json],
      ['application/graphql-response+json', graphql],
    ] as const) {
      const { answered, rest } = await ask(accept, sent)
      expect(answered).toEqual([status, type, [code]])
      expect(rest).toEqual({})
    }
  })

  const login = 'mutation ($email: String!) { login(email: $email, password: "x") { accessToken } }'
  it.each([
    ['a fault of syntax', query('{')],
    ['a field that is not there', query('{ nothing }')],
    ['a variable of another type', query(login, { email: 7 })],
    ['an operation that is not there', JSON.stringify({ query: '{ a }', operationName: 'b' })],
  ])('%s is 400 to those who accept that', async (_what, body) => {
    const faults = [['VALIDATION_ERROR'], {}]
    const old = await ask('application/json', { body })
    expect([old.answered, old.rest]).toEqual([[200, json, faults[0]], faults[1]])
    const now = await ask('application/graphql-response+json', { body })
    expect([now.answered, now.rest]).toEqual([[400, graphql, faults[0]], faults[1]])
  })

  it('an operation that fails is 200', async () => {
    const body = query(login, { email: 'nobody@example.com' })
    for (const [accept, type] of [
      ['application/json', json],
      ['application/graphql-response+json', graphql],
    ] as const) {
      const { answered, rest } = await ask(accept, { body })
      expect(answered).toEqual([200, type, ['AUTH_INVALID_CREDENTIALS']])
      expect(rest).toEqual({ data: { login: null } })
    }
  })
})
