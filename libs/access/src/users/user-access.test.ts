import { describe, expect, it } from '@jest/globals'
import { AppError } from '@surehook/service-kit/errors'
import type { AccessClaims } from '@surehook/token-verifier'
import { createUserAccess } from './user-access.ts'

type EnvironmentViews = { here: boolean; there: boolean; epochs?: [here: number, there: number] }

/** What this process already knows of the tenant, and what the topic says when asked. */
function setUp({ here, there, epochs = [0, 0] }: EnvironmentViews) {
  const verified: unknown[] = []
  const state = { healthy: true, expected: here, revoked: false, exp: Date.now() / 1_000 + 60 }
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
    },
    users: {
      verify: async (of, _token, keyEpoch) => {
        verified.push([of, keyEpoch])
        // The keys were replaced, so the token is invalid.
        if (keyEpoch > 1) throw new AppError('AUTH_TOKEN_INVALID')
        return { roles: ['reader'], exp: state.exp } as unknown as AccessClaims
      },
      isRevoked: () => state.revoked,
    },
  })
  const admit = () => users.admit(tenant, { token: 'a.b.c', client: '203.0.113.7' })
  return { admit, verified, asked: () => asked, state, epochs }
}

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
