import { describe, expect, it, jest } from '@jest/globals'
import { AppError } from '@surehook/service-kit/errors'
import type { AccessClaims } from '@surehook/token-verifier'
import { createUserAccess } from './user-access.ts'

type EnvironmentViews = { here: boolean; there: boolean; epochs?: [here: number, there: number] }

/** What this process already knows of the tenant, and what the topic says when asked. */
function setUp({ here, there, epochs = [0, 0] }: EnvironmentViews) {
  const verified: unknown[] = []
  const state = {
    healthy: true,
    expected: here,
    revoked: false,
    exp: Date.now() / 1_000 + 60,
    trusted: [trusted],
    isKeyWithdrawn: false,
  }
  let asked = 0
  const users = createUserAccess({
    access: {
      get healthy() {
        return state.healthy
      },
      expectsUsers: () => state.expected,
      keyEpochOf: () => epochs[asked === 0 ? 0 : 1],
      admitsUsers: async () => {
        asked += 1
        return there
      },
      expectedIssuers: () => state.trusted,
      trustedIssuers: async () => state.trusted,
    },
    users: {
      verify: async (of, _token, keyEpoch) => {
        verified.push([of, keyEpoch])
        // The keys were replaced, so the token is invalid.
        if (keyEpoch > 1) throw new AppError('AUTH_TOKEN_INVALID')
        return { roles: ['reader'], exp: state.exp } as unknown as AccessClaims
      },
      isRevoked: () => state.revoked,
      isOwnIssuer: (_tenant, issuer) => issuer === 'https://own.example',
      issued: {
        verify: async (_tenant, { issuer }) => {
          if (state.isKeyWithdrawn) throw new AppError('AUTH_TOKEN_INVALID')
          const user = { sub: 'auth0|ada', roles: [], email: null, exp: state.exp }
          return { iss: issuer, ...user }
        },
      },
    },
  })
  const client = '203.0.113.7'
  const admit = () => users.admit(tenant, { token: 'a.b.c', client })
  const admitOf = (iss: string) => users.admit(tenant, { token: unsigned({ iss }), client })
  return { admit, admitOf, verified, asked: () => asked, state, epochs }
}

const trusted = {
  issuer: 'https://login.example/',
  ...{ audience: ['api'], rolesClaim: 'roles', userIdClaim: 'sub' },
}
const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
const unsigned = (payload: object) => `${part({ alg: 'RS256' })}.${part(payload)}.AAAA`

const tenant = { projectId: 'shop', environment: 'master' }
const refused = { code: 'AUTH_TOKEN_INVALID' }

describe('the token of a user', () => {
  it('is not verified for an unknown tenant', async () => {
    const { admit, verified } = setUp({ here: false, there: false })
    await expect(admit()).rejects.toMatchObject(refused)
    expect(verified).toEqual([])
  })

  it('is valid for a tenant that this process learns of only now', async () => {
    const { admit } = setUp({ here: false, there: true })
    expect((await admit()).claims.roles).toEqual(['reader'])
  })

  it('is invalid for a disabled tenant, even if this process has not read that yet', async () => {
    const { admit, asked } = setUp({ here: true, there: false })
    await expect(admit()).rejects.toMatchObject(refused)
    expect(asked()).toBe(1)
  })

  it('is invalid after its key was replaced, even if this process has not read that yet', async () => {
    const { admit, verified } = setUp({ here: true, there: true, epochs: [1, 2] })
    await expect(admit()).rejects.toMatchObject(refused)
    expect(verified).toEqual([
      [tenant, 1],
      [tenant, 2],
    ])
  })
})

describe('an admitted token', () => {
  it.each<[string, (of: ReturnType<typeof setUp>) => void]>([
    ['expired', ({ state }) => void (state.exp = Date.now() / 1_000)],
    ['revoked', ({ state }) => void (state.revoked = true)],
    ['of an environment without users', ({ state }) => void (state.expected = false)],
    ['checked with old keys', ({ epochs }) => void epochs.fill(1)],
    ['not known to be current', ({ state }) => void (state.healthy = false)],
  ])('stands until it is %s', async (_what, change) => {
    const under = setUp({ here: true, there: true })
    if (_what === 'expired') change(under)
    const { isStanding } = await under.admit()
    if (_what === 'expired') return expect(isStanding()).toBe(false)
    expect(isStanding()).toBe(true)
    change(under)
    expect(isStanding()).toBe(false)
  })
})

describe('the token of a trusted issuer', () => {
  it('is valid although the environment has no users of its own', async () => {
    const { admitOf, verified } = setUp({ here: false, there: false })
    expect(await admitOf('https://login.example')).toMatchObject({
      claims: { sub: 'auth0|ada' },
      issued: { issuer: 'https://login.example/' },
    })
    expect(verified).toEqual([])
  })

  it.each(['https://own.example', 'https://other.example', 'https://login.example/x'])(
    'is not one of %s',
    async (iss) => {
      const { admitOf } = setUp({ here: false, there: false })
      await expect(admitOf(iss)).rejects.toMatchObject(refused)
    },
  )

  it.each<[string, (of: ReturnType<typeof setUp>) => void]>([
    ['the issuer is removed', ({ state }) => void (state.trusted = [])],
    [
      'its settings change',
      ({ state }) => void (state.trusted = [{ ...trusted, audience: ['other'] }]),
    ],
    ['the state is not known to be current', ({ state }) => void (state.healthy = false)],
  ])('stands until %s', async (_what, change) => {
    const under = setUp({ here: true, there: true })
    const { isStanding } = await under.admitOf(trusted.issuer)
    expect(isStanding()).toBe(true)
    under.epochs.fill(1)
    expect(isStanding()).toBe(true)
    change(under)
    expect(isStanding()).toBe(false)
  })

  it('stands for a minute after its key is withdrawn, however late it expires', async () => {
    jest.useFakeTimers()
    try {
      const under = setUp({ here: true, there: true })
      under.state.exp = Number.MAX_SAFE_INTEGER
      const { isStanding } = await under.admitOf(trusted.issuer)
      await jest.advanceTimersByTimeAsync(60_000)
      expect(isStanding()).toBe(true)
      under.state.isKeyWithdrawn = true
      await jest.advanceTimersByTimeAsync(59_999)
      expect(isStanding()).toBe(true)
      await jest.advanceTimersByTimeAsync(1)
      isStanding()
      await jest.advanceTimersByTimeAsync(0)
      expect(isStanding()).toBe(false)
    } finally {
      jest.useRealTimers()
    }
  })
})
