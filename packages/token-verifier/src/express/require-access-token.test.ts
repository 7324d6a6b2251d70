import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it } from '@jest/globals'
import type { AccessClaims } from '../claims/claims.ts'
import {
  invalidToken,
  TokenError,
  TooManyTokensError,
  VerifierUnavailableError,
} from '../token-error.ts'
import { claimsOf, requireAccessToken } from './require-access-token.ts'

/** Values that `next` does not treat as an error. */
const words: Record<string, unknown> = { nothing: undefined, route: 'route', router: 'router' }
const failures: Record<string, Error> = {
  bad: invalidToken('test'),
  old: new TokenError('AUTH_TOKEN_EXPIRED', 'old'),
  away: new VerifierUnavailableError('away'),
  many: new TooManyTokensError(17),
  fault: new Error('a fault of the service'),
}

async function ask(authorization?: string) {
  const middleware = requireAccessToken({
    async verify(token) {
      // oxlint-disable-next-line typescript/only-throw-error -- that it is no error is the point
      if (token in words) throw words[token]
      const failure = failures[token]
      if (failure !== undefined) throw failure
      return { sub: token } as AccessClaims
    },
  })
  await using server = createServer((req, res) => {
    void middleware(req, res, (err) => {
      res.statusCode = err instanceof Error ? 500 : 200
      res.end(JSON.stringify(err instanceof Error ? {} : claimsOf(req)))
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, {
    headers: { connection: 'close', ...(authorization !== undefined && { authorization }) },
  })
  return { status: response.status, headers: response.headers, body: await response.json() }
}

describe('requireAccessToken', () => {
  it('sets the claims on the request', async () => {
    expect(await ask('Bearer ada')).toMatchObject({ status: 200, body: { sub: 'ada' } })
  })

  it.each([
    [undefined, 'Bearer'],
    ['Basic eDp5', 'Bearer'],
    ['Bearer', 'Bearer'],
    ['Bearer a b', 'Bearer'],
    [
      'Bearer bad',
      'Bearer error="invalid_token", error_description="The access token is not valid"',
    ],
    [
      'Bearer old',
      'Bearer error="invalid_token", error_description="The access token has expired"',
    ],
    ['Bearer away', null],
  ])('challenges %j with %j (RFC 6750)', async (authorization, challenge) => {
    expect((await ask(authorization)).headers.get('www-authenticate')).toBe(challenge)
  })

  it.each(['nothing', 'route', 'router'])(
    'lets nobody in who makes it fail with %s',
    async (what) => {
      expect(await ask(`Bearer ${what}`)).toMatchObject({ status: 500 })
    },
  )

  it.each([
    [undefined, 401, 'AUTH_TOKEN_INVALID'],
    ['Basic eDp5', 401, 'AUTH_TOKEN_INVALID'],
    ['Bearer bad', 401, 'AUTH_TOKEN_INVALID'],
    ['Bearer old', 401, 'AUTH_TOKEN_EXPIRED'],
    ['Bearer away', 503, 'SERVICE_UNAVAILABLE'],
    ['Bearer many', 429, 'RATE_LIMIT_EXCEEDED'],
  ])('answers %j with %j %j', async (authorization, status, error) => {
    const answer = await ask(authorization)
    expect(answer).toMatchObject({ status, body: { error } })
    const header = status === 401 ? 'www-authenticate' : 'retry-after'
    expect(answer.headers.get(header)).not.toBeNull()
  })

  it('passes other errors on to the next handler', async () => {
    expect(await ask('Bearer fault')).toMatchObject({ status: 500 })
  })
})
