import { expect, it } from '@jest/globals'
import { openApi } from '../../api/api.ts'
import type { Session } from '../../session/session.ts'
import { ask, curlOfGraphQL } from './ask.ts'
import { endpointOf } from './endpoints.ts'

const session: Session = { kind: 'developer', project: 'shop', environment: 'test', token: 'mt_1' }

type SentRequest = { url: string; headers: Headers }

/** Asks with a gateway that answers 401 to everything. */
async function askRefused(endpoint: 'data' | 'auth', userToken: string) {
  const sent: SentRequest[] = []
  let isDoubted = false
  const api = openApi({
    session,
    baseUrl: 'http://gateway',
    onRefused: () => {
      isDoubted = true
    },
    fetch: async (url, init) => {
      sent.push({ url: typeof url === 'string' ? url : '', headers: new Headers(init?.headers) })
      return new Response('{}', { status: 401 })
    },
  })
  const body = { query: '{ a }' }
  await ask(api, { endpoint: endpointOf(endpoint), body, userToken })
  const [{ url, headers } = { url: '', headers: new Headers() }] = sent
  const named = ['authorization', 'x-project-id', 'environment'].map((name) => headers.get(name))
  return { url, headers: named, isDoubted }
}

it.each([
  ['data', '', ['/gw/api/graphql', 'Bearer mt_1', true]],
  ['data', 'of-ada', ['/gw/api/graphql', 'Bearer of-ada', false]],
  ['auth', '', ['/auth/graphql', null, false]],
  ['auth', 'of-ada', ['/auth/graphql', 'Bearer of-ada', false]],
] as const)(
  'asks %s with the user token %p: path, authorization, doubt about the session: %p',
  async (endpoint, userToken, [url, authorization, isDoubted]) => {
    expect(await askRefused(endpoint, userToken)).toEqual({
      url,
      headers: [authorization, 'shop', 'test'],
      isDoubted,
    })
  },
)

it('copies a request without its token', () => {
  const command = curlOfGraphQL({
    endpoint: endpointOf('data'),
    body: { query: `{ orders(where: "it's") }` },
    origin: 'https://hooks.example.com',
    tenant: { project: 'shop', environment: 'test' },
    isUser: false,
  })
  expect(command).toContain('-H "Authorization: Bearer $MANAGEMENT_TOKEN"')
  expect(command).toContain("-H 'environment: test'")
  expect(command).toContain(String.raw`it'\''s`)
})
