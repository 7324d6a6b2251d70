import { expect, it, jest } from '@jest/globals'
import type { RequestLimits } from '@surehook/access/limits/request-limits'
import type { IssuedUser } from '@surehook/access/users/user-access'
import type { RequestContext } from '@surehook/service-kit/http/request/request-context'
import { type StreamCallerDeps, streamCaller } from './stream-caller.ts'

it('counts a user of a trusted issuer apart from the user of auth-service with the same id', async () => {
  const charge = jest.fn<RequestLimits['charge']>(async () => undefined)
  const counted = async (issued?: IssuedUser) => {
    const admit = async () => ({ claims: { sub: 'ann' }, issued })
    const users = { access: { admit } } as unknown as StreamCallerDeps['users']
    const management = () => Promise.reject(new Error('not for users'))
    const headers = { authorization: 'Bearer a.b.c', 'x-project-id': 'shop', environment: 'master' }
    const context = { req: { headers }, countedClient: '203.0.113.7' } as unknown as RequestContext
    await streamCaller({ management, users, limits: { charge } })(context)
    return charge.mock.lastCall?.[1].id
  }
  expect(await counted()).toBe('ann')
  const ofIssuer = await counted({ issuer: 'https://login.example', email: null })
  expect(ofIssuer).not.toBe('ann')
})
