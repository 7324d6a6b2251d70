import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
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

/** Returns the status, the codes of the errors, and whether the answer has data. */
async function ask(body: string, headers: Record<string, string> = {}) {
  const response = await fetch(`${service.api}/auth/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
  })
  const { data, errors } = (await response.json()) as {
    data?: unknown
    errors?: { extensions: { code: string } }[]
  }
  return [response.status, errors?.map(({ extensions }) => extensions.code), data != null]
}

const query = (text: string, variables: object = {}) => JSON.stringify({ query: text, variables })
const login = 'mutation ($email: String!) { login(email: $email, password: "x") { accessToken } }'

describe('over GraphQL the tenant comes first', () => {
  it.each([
    ['an argument of another type', query(login, { email: 7 })],
    ['an argument that is missing', query(login)],
    ['no GraphQL', query('mutation {')],
    ['too many operations', query(`mutation { ${'a: logout { message } '.repeat(70)} }`)],
    ['a question about the schema', query('{ __schema { queryType { name } } }')],
    ['no request', '{}'],
    ['no JSON', '{"query": '],
    ['a body that is too large', `"${'x'.repeat(2 ** 21)}"`],
  ])('%s', async (_what, body) => {
    const notConfigured = [404, ['AUTH_NOT_CONFIGURED'], false]
    expect(await ask(body, { 'x-project-id': 'nobody' })).toEqual(notConfigured)
    const { projectId } = client
    const elsewhere = { 'x-project-id': projectId, environment: 'other' }
    expect(await ask(body, elsewhere)).toEqual(notConfigured)
    expect(await ask(body)).toEqual([400, ['VALIDATION_ERROR'], false])
  })

  it('and then everything else', async () => {
    const here = { 'x-project-id': client.projectId }
    expect(await ask(query(login, { email: 7 }), here)).toEqual([200, ['VALIDATION_ERROR'], false])
    const schema = await ask(query('{ __schema { queryType { name } } }'), here)
    expect(schema).toEqual([200, undefined, true])
    expect(await ask('{ "query": 7 }', here)).toEqual([400, ['VALIDATION_ERROR'], false])
  })
})
