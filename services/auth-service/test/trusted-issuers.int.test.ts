import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import type { Environment } from '@surehook/contracts/http/admin/admin'
import { clientOf } from '@surehook/scripts/client/call'
import { createCertificates } from '@surehook/scripts/receiver/certificates'
import { openReceiver, type Receiver } from '@surehook/scripts/receiver/receiver'
import { type OpenIdProvider, openOpenIdProvider } from '@surehook/testing/openid-provider'
import { type AuthClient, openAuthClient } from './support/auth-client.ts'
import {
  openWorld,
  publicUrl,
  type Running,
  serviceToken,
  type World,
} from './support/under-test.ts'

let world: World
let service: Running
/** Refuses private addresses, as an installation does by default. */
let guarded: Running
let receiver: Receiver
let provider: OpenIdProvider
let client: AuthClient

beforeAll(async () => {
  const certificates = await createCertificates()
  receiver = await openReceiver(certificates)
  world = await openWorld()
  const extraCa = [certificates.ca]
  const allowedNetworks = ['127.0.0.0/8', '::1/128']
  service = await world.startService({ outbound: { allowedNetworks, extraCa } })
  guarded = await world.startService({ outbound: { allowedNetworks: [], extraCa } })
})
afterAll(async () => {
  await guarded?.[Symbol.asyncDispose]()
  await service?.[Symbol.asyncDispose]()
  await world?.[Symbol.asyncDispose]()
  await receiver?.[Symbol.asyncDispose]()
})
beforeEach(async () => {
  provider = await openOpenIdProvider(receiver)
  client = await openAuthClient(service.api)
})

type Reply = Environment & { violations?: { field: string; rule: string; message: string }[] }
const trust = (trustedIssuers: unknown, of = client) => of.admin<Reply>('PUT ', { trustedIssuers })
const auth0 = { issuer: 'https://x.eu.auth0.com/', audience: 'https://api.example' }

describe('the issuers that an environment trusts', () => {
  it('are answered and published with their defaults, and stay until they are replaced', async () => {
    expect((await client.admin<Reply>('GET ')).body.trustedIssuers).toEqual([])
    const whole = {
      issuer: auth0.issuer,
      audience: ['a', 'b'],
      rolesClaim: 'r.s',
      userIdClaim: 'u',
    }
    const { body } = await trust([auth0, { ...whole, issuer: 'https://y.example' }])
    const expected = [
      { ...auth0, audience: [auth0.audience], rolesClaim: 'roles', userIdClaim: 'sub' },
      { ...whole, issuer: 'https://y.example' },
    ]
    expect(body.trustedIssuers).toEqual(expected)
    await client.change({ accessTokenTtl: 60 })
    expect((await client.admin<Reply>('GET ')).body.trustedIssuers).toEqual(expected)
    const published = async () => {
      const { environments } = await world.platformState()
      const { settings = '' } = environments.get(`${client.projectId}/master`) ?? {}
      return (JSON.parse(settings) as { trustedIssuers: unknown }).trustedIssuers
    }
    expect(await published()).toEqual(expected)
    expect((await trust(null)).body.trustedIssuers).toEqual([])
    expect(await published()).toEqual([])
  })

  it.each<[string, unknown, string, string]>([
    ['http', [{ ...auth0, issuer: 'http://x.example' }], '0.issuer', 'invalid_format'],
    ['a query', [{ ...auth0, issuer: 'https://x.example/?a' }], '0.issuer', 'invalid_format'],
    ['no audience', [{ issuer: auth0.issuer }], '0.audience', 'required'],
    ['an empty audience', [{ ...auth0, audience: [] }], '0.audience', 'too_few'],
    ['an empty claim', [{ ...auth0, rolesClaim: '' }], '0.rolesClaim', 'too_short'],
    ['a secret', [{ ...auth0, secret: 'x' }], '0', 'unrecognized'],
    ['it twice', [auth0, { ...auth0, issuer: 'https://x.eu.auth0.com' }], '', 'repeated'],
    [
      'six',
      [1, 2, 3, 4, 5, 6].map((n) => ({ ...auth0, issuer: `https://${n}.example` })),
      '',
      'too_many',
    ],
    [
      'this installation',
      [auth0, { ...auth0, issuer: `${publicUrl}/auth/shop/master` }],
      '1.issuer',
      'invalid_value',
    ],
    ['a private address', [{ ...auth0, issuer: 'https://10.0.0.1' }], '0.issuer', 'invalid_value'],
  ])('cannot have %s', async (_what, issuers, at, rule) => {
    const { status, body } = await trust(issuers)
    const field = ['trustedIssuers', at].filter((name) => name !== '').join('.')
    expect([status, body.violations?.map((one) => [one.field, one.rule])]).toEqual([
      400,
      [[expect.stringContaining(field), rule]],
    ])
  })
})

const keysAt = (api: string, issuer: string, token = serviceToken) =>
  clientOf(api, { 'x-project-id': client.projectId, environment: 'master' }).call<{
    keys: unknown[]
    error?: string
  }>(`GET /internal/issuer-keys?issuer=${encodeURIComponent(issuer)}`, undefined, {
    authorization: `Bearer ${token}`,
  })
const keysOf = (issuer = provider.issuer) => keysAt(service.api, issuer)
const unavailable = [503, 'SERVICE_UNAVAILABLE']

describe('the keys of a trusted issuer', () => {
  const { audience } = auth0
  beforeEach(async () => {
    await trust([{ issuer: provider.issuer, audience }])
  })

  it('come from the address that its metadata name, without private members', async () => {
    const [key] = provider.keys
    provider.keys = [
      { ...key, d: 'private', x5c: ['x'] },
      { kty: 'oct', k: 'x' },
      'no key' as never,
    ]
    expect((await keysOf()).body).toEqual({ keys: [key] })
  })

  it('come by the metadata of RFC 8414 too', async () => {
    const { pathname } = new URL(provider.issuer)
    receiver.answer(`${pathname}/.well-known/openid-configuration`, () => ({ status: 404 }))
    receiver.answer(`/.well-known/oauth-authorization-server${pathname}`, () => ({
      ...{ status: 200, body: JSON.stringify(provider.metadata) },
    }))
    expect((await keysOf()).body).toEqual({ keys: provider.keys })
  })

  it.each<[string, () => void]>([
    ['names another issuer', () => void (provider.metadata['issuer'] = receiver.url('/other'))],
    ['leads elsewhere', () => void (provider.down = redirect(receiver.url('/other')))],
    ['has http keys', () => void (provider.metadata['jwks_uri'] = 'http://127.0.0.1/')],
    ['has no address of keys', () => void delete provider.metadata['jwks_uri']],
    ['answers 500', () => void (provider.down = { status: 500 })],
    ['answers no JSON', () => void (provider.down = { status: 200, body: '<html>' })],
    ['never answers', () => void (provider.down = 'hang')],
    ['answers too much', () => void (provider.keys = Array(200).fill({ kid: 'x'.repeat(2_000) }))],
  ])('are unavailable while it %s', async (_what, change) => {
    change()
    const { status, body, headers } = await keysOf()
    expect([status, body.error]).toEqual(unavailable)
    expect(headers.get('retry-after')).toBe('1')
  })

  it('are not asked for at a private address', async () => {
    const asked = () => provider.asked + receiver.receipts(metadataPath()).length
    const { status, body } = await keysAt(guarded.api, provider.issuer)
    expect([status, body.error, asked()]).toEqual([...unavailable, 0])
  })

  it('are not asked for at another issuer, nor for a stranger', async () => {
    const other = await openOpenIdProvider(receiver)
    expect((await keysOf(other.issuer)).body).toEqual({ keys: [] })
    expect(other.asked).toBe(0)
    expect((await keysAt(service.api, provider.issuer, 'wrong')).status).toBe(401)
    const stranger = await openAuthClient(service.api)
    await trust([{ issuer: other.issuer, audience }], stranger)
    expect((await keysOf(other.issuer)).body).toEqual({ keys: [] })
    await trust([])
    expect((await keysOf()).body).toEqual({ keys: [] })
  })
})

const metadataPath = () => `${new URL(provider.issuer).pathname}/.well-known/openid-configuration`
const redirect = (location: string) => ({ status: 302, headers: { location } })

it('auth-service itself accepts no token of a trusted issuer', async () => {
  await trust([{ issuer: provider.issuer, audience: provider.audience }])
  const token = await provider.token()
  expect((await client.send('GET me', { token })).status).toBe(401)
  expect((await client.introspect(token)).body).toMatchObject({ active: false })
})
