import { describe, expect, it } from '@jest/globals'
import type { RequestContext } from '@surehook/service-kit/http/request/request-context'
import type { AccessClaims } from '@surehook/token-verifier'
import { createAuthorizers } from './authorize.ts'

const { records } = createAuthorizers({
  charge: async () => {},
  access: {
    authorizeManagement: () => Promise.reject(new Error('not for users')),
    environmentExists: () => Promise.reject(new Error('not for users')),
  },
  values: { of: () => Promise.reject(new Error('not for users')) },
  users: {
    admit: async () => ({
      claims: { roles: ['reader'], sub: 'ann' } as unknown as AccessClaims,
      isStanding: () => true,
    }),
  },
})

const calling = (authorization: string) => {
  const headers = { authorization, 'x-project-id': 'shop' }
  return records({ req: { headers }, countedClient: '203.0.113.7' } as unknown as RequestContext)
}

describe('a request for records', () => {
  it('is told whether its credential is missing or wrong', async () => {
    await expect(calling('')).rejects.toThrow('There is no credential')
    await expect(calling('Bearer nothing')).rejects.toThrow('The access token is not valid')
  })

  it("takes a user's access token", async () => {
    const tenant = { projectId: 'shop', environment: 'master' }
    expect(await calling('Bearer a.b.c')).toEqual({ tenant, roles: ['reader'], id: 'ann' })
  })
})
