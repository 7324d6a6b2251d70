import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import { createRemoteJWKSet, decodeJwt, jwtVerify } from 'jose'
import { type AuthClient, openAuthClient } from './support/auth-client.ts'
import { openWorld, publicUrl, type Running, type World } from './support/under-test.ts'

let world: World
let service: Running
let client: AuthClient

beforeAll(async () => {
  world = await openWorld()
  service = await world.startService()
})
beforeEach(async () => {
  client = await openAuthClient(service.api, { environment: 'test' })
})
afterAll(async () => {
  await service?.[Symbol.asyncDispose]()
  await world?.[Symbol.asyncDispose]()
})

type Tenant = Pick<AuthClient, 'projectId' | 'environment'>

const pathOf = ({ projectId, environment }: Tenant) => `/auth/${projectId}/${environment}`
const metadataPlaces = (tenant: Tenant) => [
  `${pathOf(tenant)}/.well-known/openid-configuration`,
  `${pathOf(tenant)}/.well-known/oauth-authorization-server`,
  `/.well-known/oauth-authorization-server${pathOf(tenant)}`,
]
const placesOf = (tenant: Tenant) => [
  `${pathOf(tenant)}/.well-known/jwks.json`,
  ...metadataPlaces(tenant),
]

const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(service.api + path, { headers })
const keysOf = async (tenant: Tenant) =>
  ((await (await get(`${pathOf(tenant)}/.well-known/jwks.json`)).json()) as { keys: unknown[] })
    .keys

describe('the metadata of an issuer', () => {
  it('is the same in each place, and says what is true and no more', async () => {
    const issuer = publicUrl + pathOf(client)
    expect(decodeJwt((await client.newUser()).accessToken).iss).toBe(issuer)
    for (const place of metadataPlaces(client)) {
      const answer = await get(place)
      expect([answer.status, await answer.json()]).toEqual([
        200,
        {
          issuer,
          jwks_uri: `${issuer}/.well-known/jwks.json`,
          response_types_supported: [],
          grant_types_supported: [],
          subject_types_supported: ['public'],
          id_token_signing_alg_values_supported: ['RS256'],
        },
      ])
    }
  })

  it('and its keys need no header, and follow none', async () => {
    const other = await openAuthClient(service.api)
    const named = { 'x-project-id': other.projectId, environment: other.environment }
    for (const place of placesOf(client)) {
      const alone = await get(place)
      const misled = await get(place, { ...named, authorization: 'Bearer none' })
      expect([misled.status, await misled.text()]).toEqual([200, await alone.text()])
    }
    expect(await keysOf(client)).toEqual(await client.publishedKeys())
    expect(await keysOf(client)).not.toEqual(await keysOf(other))
  })

  it('and its keys are cached for 5 minutes, by the path alone, and not sent again', async () => {
    for (const place of placesOf(client)) {
      const { headers } = await get(place)
      expect([headers.get('cache-control'), headers.get('vary')]).toEqual(['max-age=300', null])
      const held = { 'if-none-match': headers.get('etag') ?? '' }
      expect((await get(place, held)).status).toBe(304)
    }
    const place = `${pathOf(client)}/.well-known/jwks.json`
    const held = { 'if-none-match': (await get(place)).headers.get('etag') ?? '' }
    await client.change({ encryptTokens: true })
    expect((await get(place, held)).status).toBe(200)
    expect(await keysOf(client)).toMatchObject([{ use: 'sig' }, { use: 'enc' }])
  })

  it('is not there for a tenant that is not, as its keys by headers are not', async () => {
    const off = await openAuthClient(service.api, { settings: { enabled: false } })
    const { projectId } = client
    const unknown = [
      off,
      { projectId, environment: 'live' },
      { projectId: 'nobody', environment: 'test' },
      { projectId: 'a%20b', environment: 'test' },
      { projectId, environment: 'x'.repeat(65) },
    ]
    const byHeaders = await fetch(`${service.api}/auth/.well-known/jwks.json`, {
      headers: { 'x-project-id': 'nobody' },
    })
    const refusal = await byHeaders.json()
    expect([byHeaders.status, refusal]).toMatchObject([404, { error: 'AUTH_NOT_CONFIGURED' }])
    for (const place of unknown.flatMap(placesOf)) {
      const answer = await get(place)
      expect([answer.status, await answer.json()]).toEqual([404, refusal])
      expect(answer.headers.get('cache-control')).toBe('no-store')
    }
  })

  it('answers to GET and HEAD alone', async () => {
    for (const place of placesOf(client)) {
      const answer = await fetch(service.api + place, { method: 'POST' })
      expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
    }
  })
})

it('a token verifies with the keys of its issuer, and of no other', async () => {
  const { accessToken } = await client.newUser()
  const other = await openAuthClient(service.api)
  const verify = (tenant: Tenant) => {
    const keys = createRemoteJWKSet(
      new URL(`${service.api}${pathOf(tenant)}/.well-known/jwks.json`),
    )
    return jwtVerify(accessToken, keys, {
      issuer: publicUrl + pathOf(client),
      audience: `${client.projectId}/${client.environment}`,
      typ: 'at+jwt',
      algorithms: ['RS256'],
    })
  }
  expect((await verify(client)).payload.sub).toMatch(/^[0-9a-f-]{36}$/)
  await expect(verify(other)).rejects.toThrow('no applicable key found')
})
