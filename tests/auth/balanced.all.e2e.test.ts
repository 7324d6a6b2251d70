import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { newEmail, password, trusting } from '../support/auth/auth-tenant.ts'
import { type OperationName, transports } from '../support/auth/auth-transports.ts'
import { type AuthWorld, openAuthWorld } from '../support/auth/auth-world.ts'
import { type Balancer, openBalancer } from '../support/balancer.ts'

let balancer: Balancer
/** Two replicas of auth-service behind the gateway, which get requests in turn. */
let world: AuthWorld

beforeAll(async () => {
  balancer = await openBalancer()
  world = await openAuthWorld({
    replicas: { 'auth-service': 2 },
    env: { AUTH_SERVICE_URL: balancer.url },
  })
  balancer.send(world.system.services['auth-service'].map(({ apiUrl }) => apiUrl ?? ''))
})
afterAll(async () => {
  await world?.[Symbol.asyncDispose]()
  await balancer?.[Symbol.asyncDispose]()
})

const countOf = (outcomes: readonly { code: string }[], wanted: string) =>
  outcomes.filter(({ code }) => code === wanted).length

describe.each(transports)('two replicas behind the gateway, over %s,', (_name, transport) => {
  const many = (count: number, call: (n: number) => Promise<{ code: string }>) =>
    Promise.all(Array.from({ length: count }, (_, n) => call(n)))

  const limited: [OperationName, number, () => Record<string, unknown>][] = [
    ['signup', 10, () => ({ email: newEmail(), password })],
    ['login', 20, () => ({ email: newEmail(), password })],
    ['recoverPassword', 5, () => ({ email: 'one@example.com' })],
    ['confirmSignup', 30, () => ({ email: newEmail(), code: '123456' })],
    ['resetPassword', 30, () => ({ email: newEmail(), newPassword: password, code: '123456' })],
  ]
  it.each(limited)('share the limit of %s', async (operation, limit, args) => {
    const tenant = await world.tenant(transport, trusting)
    const call = () => tenant.call(operation, args(), { from: '198.19.5.1' })
    const codes: { code: string }[] = []
    // One for each replica at a time: a slow machine refuses to queue more.
    while (codes.length < limit + 6) codes.push(...(await many(2, call)))
    expect(countOf(codes, 'RATE_LIMIT_EXCEEDED')).toBe(codes.length - limit)
  })

  it('share failures and locks', async () => {
    const tenant = await world.tenant(transport, trusting)
    const { email } = await tenant.newUser()
    const login = (tried: string) =>
      tenant.call('login', { email, password: tried }, { from: '198.19.5.2' })
    expect(countOf(await many(5, () => login('wrong')), 'AUTH_INVALID_CREDENTIALS')).toBe(5)
    expect(countOf(await many(4, () => login(password)), 'AUTH_ACCOUNT_LOCKED')).toBe(4)
  })

  it('share revocations, from the answer on', async () => {
    const tenant = await world.tenant(transport, trusting)
    const { session } = await tenant.newUser()
    const { accessToken, refreshToken } = session
    await tenant.do('logout', {}, { accessToken })
    const uses = await many(4, () => tenant.call('logout', {}, { accessToken }))
    const refreshes = await many(4, () => tenant.call('refreshToken', { refreshToken }))
    const codes = [...uses, ...refreshes].map(({ code }) => code)
    expect(codes).toEqual(Array(8).fill('AUTH_TOKEN_INVALID'))
  })

  it('share an emergency: keys that are replaced at once are gone on both', async () => {
    const tenant = await world.tenant(transport, trusting)
    const { email, session } = await tenant.newUser()
    const { refreshToken } = session
    const before = await many(2, () => tenant.jwks())
    expect(countOf(before, 'ok')).toBe(2)
    await tenant.admin('POST', '/keys/rotate?immediately=true')
    const uses = await many(4, () =>
      tenant.call('logout', {}, { accessToken: session.accessToken }),
    )
    expect(countOf(uses, 'AUTH_TOKEN_INVALID')).toBe(4)
    const renewed = await tenant.do('refreshToken', { refreshToken })
    await tenant.do('logout', {}, { accessToken: renewed.accessToken })
    for (let n = 0; n < 2; n++) {
      const { accessToken } = await tenant.login(email)
      await tenant.do('logout', {}, { accessToken })
    }
  })
})

it('both had about the same load', () => {
  const [one = 0, two = 0, ...others] = [...balancer.counts.values()]
  expect(others).toEqual([])
  expect(Math.abs(one - two)).toBeLessThanOrEqual(1)
})
