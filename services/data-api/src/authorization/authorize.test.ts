import { describe, expect, it } from '@jest/globals'
import { AppError } from '@surehook/service-kit/errors'
import type { RequestContext } from '@surehook/service-kit/http/request/request-context'
import type { AccessClaims } from '@surehook/token-verifier'
import { createAuthorizers } from './authorize.ts'

type EnvironmentViews = { here: boolean; there: boolean; epochs?: [here: number, there: number] }

/** What this process already knows of the tenant, and what the topic says when asked. */
function setUp({ here, there, epochs = [0, 0] }: EnvironmentViews) {
  const verified: unknown[] = []
  let asked = 0
  const { records } = createAuthorizers({
    charge: async () => {},
    access: {
      authorizeManagement: () => Promise.reject(new Error('not for users')),
      expectsUsers: () => here,
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
        return { roles: ['reader'] } as unknown as AccessClaims
      },
    },
  })
  const calling = (authorization: string | undefined = 'Bearer a.b.c') => {
    const headers = { authorization, 'x-project-id': 'shop' }
    return records({ req: { headers }, countedClient: '203.0.113.7' } as unknown as RequestContext)
  }
  return { calling, verified, asked: () => asked }
}

const tenant = { projectId: 'shop', environment: 'master' }
const refused = { code: 'AUTH_TOKEN_INVALID' }

describe('a request for records', () => {
  it('is told whether its credential is missing or wrong', async () => {
    const { calling } = setUp({ here: true, there: true })
    await expect(calling('')).rejects.toThrow('There is no credential')
    await expect(calling('Bearer nothing')).rejects.toThrow('The access token is not valid')
  })
})

describe('the token of a user', () => {
  it('is not verified for an unknown tenant', async () => {
    const { calling, verified } = setUp({ here: false, there: false })
    await expect(calling()).rejects.toMatchObject(refused)
    expect(verified).toEqual([])
  })

  it('is valid for a tenant that this process learns of only now', async () => {
    const { calling } = setUp({ here: false, there: true })
    expect(await calling()).toEqual({ tenant, roles: ['reader'] })
  })

  it('is invalid for a disabled tenant, even if this process has not read that yet', async () => {
    const { calling, asked } = setUp({ here: true, there: false })
    await expect(calling()).rejects.toMatchObject(refused)
    expect(asked()).toBe(1)
  })

  it('is invalid after its key was replaced, even if this process has not read that yet', async () => {
    const { calling, verified } = setUp({ here: true, there: true, epochs: [1, 2] })
    await expect(calling()).rejects.toMatchObject(refused)
    expect(verified).toEqual([
      [tenant, 1],
      [tenant, 2],
    ])
  })
})
