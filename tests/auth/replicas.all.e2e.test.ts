import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { newEmail, password, wrong } from '../support/auth/auth-tenant.ts'
import { execute, transports } from '../support/auth/auth-transports.ts'
import { type AuthWorld, openAuthWorld } from '../support/auth/auth-world.ts'

let world: AuthWorld
/** The replicas of auth-service, called directly, because the gateway knows only the first. */
let first: string
let second: string

beforeAll(async () => {
  world = await openAuthWorld({ replicas: { 'auth-service': 2 } })
  const [one, two] = world.system.services['auth-service'].map(({ apiUrl }) => apiUrl ?? '')
  if (!one || !two) throw new Error('there are not two replicas')
  first = one
  second = two
})
afterAll(async () => {
  await world?.[Symbol.asyncDispose]()
})

const [[, rest], [, graphql]] = transports as readonly [
  (typeof transports)[0],
  (typeof transports)[0],
]
const tenantWith = (auth: object = {}) =>
  world.tenant(rest, { auth: { emailVerification: false, ...auth } })
const replica = (n: number) => (n % 2 === 0 ? first : second)

describe('two replicas act as one', () => {
  it.each([
    ['signup', 10, () => ({ email: newEmail(), password })],
    ['login', 20, () => ({ email: newEmail(), password })],
    ['recoverPassword', 5, () => ({ email: 'one@example.com' })],
  ] as const)('in the limit of %s, under parallel calls', async (operation, perMinute, args) => {
    const tenant = await tenantWith()
    const from = '198.19.2.1'
    const outcomes = await Promise.all(
      Array.from({ length: perMinute + 10 }, (_, n) =>
        tenant.call(operation, args(), { from, url: replica(n) }),
      ),
    )
    const refused = outcomes.filter(({ code }) => code === 'RATE_LIMIT_EXCEEDED')
    expect(refused).toHaveLength(10)
  })

  it('in counting failures: five in parallel lock the account on both', async () => {
    const tenant = await tenantWith()
    const { email } = await tenant.newUser()
    const from = '198.19.2.2'
    await Promise.all(
      Array.from({ length: 5 }, (_, n) =>
        tenant.call('login', { email, password: 'wrong' }, { from, url: replica(n) }),
      ),
    )
    const locked = await Promise.all(
      [first, second].map((url) => tenant.call('login', { email, password }, { from, url })),
    )
    expect(locked.map(({ code }) => code)).toEqual(['AUTH_ACCOUNT_LOCKED', 'AUTH_ACCOUNT_LOCKED'])
    expect(locked[0]?.lockedUntil).toBe(locked[1]?.lockedUntil)
    await tenant.login(email, { from: '198.19.2.3' })
  })

  it('in the attempts of a code, tried in parallel', async () => {
    const tenant = await tenantWith({ emailVerification: true })
    const email = newEmail()
    await tenant.do('signup', { email, password })
    const code = await tenant.mailbox.nextCode(email)
    const tries = Array.from({ length: 5 }, (_, n) =>
      tenant.call('confirmSignup', { email, code: wrong(code) }, { url: replica(n) }),
    )
    await Promise.all(tries)
    const right = await tenant.call('confirmSignup', { email, code }, { url: second })
    expect(right.code).toBe('AUTH_INVALID_CODE')
  })

  it('in rotation: of 50 parallel refreshes with one token one succeeds, and the session ends', async () => {
    const tenant = await tenantWith()
    const { session } = await tenant.newUser()
    const { refreshToken, accessToken } = session
    const outcomes = await Promise.all(
      Array.from({ length: 50 }, (_, n) =>
        tenant.call('refreshToken', { refreshToken }, { url: replica(n) }),
      ),
    )
    const [winner, ...others] = outcomes.filter(({ code }) => code === 'ok')
    expect(others).toEqual([])
    const family = [accessToken, winner?.result.accessToken]
    const uses = family.flatMap((token) =>
      [first, second].map((url) => tenant.call('logout', {}, { accessToken: token, url })),
    )
    const again = { refreshToken: winner?.result.refreshToken }
    uses.push(tenant.call('refreshToken', again, { url: second }))
    const codes = (await Promise.all(uses)).map(({ code }) => code)
    expect(new Set(codes)).toEqual(new Set(['AUTH_TOKEN_INVALID']))
  })

  it('in revocations, from the answer on', async () => {
    const tenant = await tenantWith()
    const { email } = await tenant.newUser()
    for (let n = 0; n < 10; n++) {
      const { accessToken, refreshToken } = await tenant.login(email, { url: replica(n) })
      await tenant.do('logout', {}, { accessToken, url: replica(n) })
      const url = replica(n + 1)
      const used = await tenant.call('logout', {}, { accessToken, url })
      const refreshed = await tenant.call('refreshToken', { refreshToken }, { url })
      expect([used.code, refreshed.code]).toEqual(['AUTH_TOKEN_INVALID', 'AUTH_TOKEN_INVALID'])
    }
  })

  it('in the first keys, which are created once', async () => {
    const tenant = await tenantWith({ encryptTokens: true })
    const asked = Array.from({ length: 10 }, (_, n) => tenant.jwks({ url: replica(n) }))
    const sets = (await Promise.all(asked)).map(({ result }) =>
      result.keys.map(({ kid }) => kid).toSorted(),
    )
    expect(sets[0]).toHaveLength(2)
    expect(new Set(sets.map(String)).size).toBe(1)
  })

  it('in settings and keys, from the answer on', async () => {
    const tenant = await tenantWith()
    const { email } = await tenant.newUser()
    const keysAt = async (url: string) =>
      (await tenant.jwks({ url })).result.keys.map(({ kid }) => kid).toSorted()
    expect(await keysAt(first)).toEqual(await keysAt(second))
    await tenant.configure({ encryptTokens: true })
    expect(await keysAt(second)).toHaveLength(2)
    expect(await keysAt(first)).toEqual(await keysAt(second))
    const { accessToken } = await tenant.login(email, { url: second })
    await tenant.do('logout', {}, { accessToken, url: first })
    await tenant.configure({ enabled: false })
    for (const url of [first, second]) {
      expect((await tenant.jwks({ url })).code).toBe('AUTH_NOT_CONFIGURED')
    }
  })
})

describe('each operation of one GraphQL request counts separately', () => {
  const loginAs = (email: string, count: number) =>
    Array.from(
      { length: count },
      (_, n) => `l${n}: login(email: "${email}", password: "wrong") { accessToken }`,
    ).join(' ')

  async function codesOf(
    query: string,
    from: string,
    tenant: Awaited<ReturnType<typeof tenantWith>>,
  ) {
    const { data, errors = [] } = await execute(second, `mutation { ${query} }`, {
      headers: tenant.headers({ from }),
    })
    expect(Object.values(data ?? {}).every((value) => value === null)).toBe(true)
    return errors.map(({ extensions }) => extensions.code)
  }

  it('against the limit', async () => {
    const tenant = await world.tenant(graphql, { auth: { lockout: { threshold: 1000 } } })
    const codes = await codesOf(loginAs(newEmail(), 25), '198.19.3.1', tenant)
    expect(codes).toHaveLength(25)
    expect(codes.filter((code) => code === 'RATE_LIMIT_EXCEEDED')).toHaveLength(5)
  })

  it('against the lockout', async () => {
    const tenant = await world.tenant(graphql)
    const codes = await codesOf(loginAs(newEmail(), 8), '198.19.3.2', tenant)
    expect(codes.slice(0, 4)).toEqual(Array<string>(4).fill('AUTH_INVALID_CREDENTIALS'))
    expect(codes.slice(5)).toEqual(Array<string>(3).fill('AUTH_ACCOUNT_LOCKED'))
  })
})
