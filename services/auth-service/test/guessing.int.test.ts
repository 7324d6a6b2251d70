import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import { proxyList } from '@surehook/service-kit/http/request/trusted-proxies'
import { type AccountWorld, newEmail, openAccountWorld } from './support/account-world.ts'
import { type AuthClient, openAuthClient, password } from './support/auth-client.ts'
import type { Running } from './support/under-test.ts'

let accounts: AccountWorld
/** Shares everything with the other instance but trusts no proxy. */
let open: Running
let client: AuthClient

beforeAll(async () => {
  accounts = await openAccountWorld()
  open = await accounts.startService({ trustedProxies: [] })
})
beforeEach(async () => {
  client = await accounts.project()
})
afterAll(async () => {
  await open?.[Symbol.asyncDispose]()
  await accounts?.[Symbol.asyncDispose]()
})

type Outcome = { code: string | undefined; retryAfter: number }
type Call = { field: string; path: string; args: Record<string, string> }
type Transport = (calls: readonly Call[], from: string) => Promise<Outcome[]>

const rest: Transport = (calls, from) =>
  Promise.all(
    calls.map(async ({ path, args }) => {
      const headers = { 'x-forwarded-for': from }
      const answer = await client.send(`POST ${path}`, { body: args, headers })
      const retryAfter = Number(answer.headers.get('retry-after') ?? 0)
      return { code: answer.status === 200 ? 'ok' : answer.body.error, retryAfter }
    }),
  )

/** Sends five aliases per request, because the cost of a request is limited too. */
const graphql: Transport = async (calls, from) => {
  const outcomes: Outcome[] = []
  for (let at = 0; at < calls.length; at += 5) {
    const part = calls.slice(at, at + 5)
    const fields = part.map(({ field, args }, n) => {
      const list = Object.entries(args).map(([name, value]) => `${name}: "${value}"`)
      const result = field === 'confirmSignup' ? 'accessToken' : 'message'
      return `f${n}: ${field}(${list.join(', ')}) { ${result} }`
    })
    const { body } = await client.send('POST graphql', {
      body: { query: `mutation { ${fields.join(' ')} }` },
      headers: { 'x-forwarded-for': from },
    })
    const { errors = [] } = body as unknown as { errors?: GraphQLError[] }
    for (const n of part.keys()) {
      const failed = errors.find(({ path }) => path[0] === `f${n}`)?.extensions
      outcomes.push({ code: failed?.code ?? 'ok', retryAfter: failed?.retryAfter ?? 0 })
    }
  }
  return outcomes
}
type GraphQLError = { path: string[]; extensions: { code: string; retryAfter?: number } }

const confirm = (email: string, code: string): Call => ({
  field: 'confirmSignup',
  path: 'confirm-signup',
  args: { email, code },
})
const reset = (email: string, code: string): Call => ({
  field: 'resetPassword',
  path: 'reset-password',
  args: { email, newPassword: 'a wholly new one 9', code },
})
const recover = (): Call => ({
  field: 'recoverPassword',
  path: 'recover-password',
  args: { email: newEmail() },
})
const resend = (): Call => ({
  field: 'resendCode',
  path: 'resend-code',
  args: { email: newEmail() },
})

const countOf = (outcomes: readonly Outcome[], code: string) =>
  outcomes.filter((outcome) => outcome.code === code).length

function expectRetryAfter(outcomes: readonly Outcome[]): void {
  for (const { retryAfter } of outcomes.filter(({ code }) => code === 'RATE_LIMIT_EXCEEDED')) {
    expect(Number.isInteger(retryAfter)).toBe(true)
    expect(retryAfter).toBeGreaterThanOrEqual(1)
    expect(retryAfter).toBeLessThanOrEqual(600)
  }
}

async function withCode(): Promise<[email: string, code: string]> {
  const email = newEmail()
  await client.send('POST signup', { body: { email, password } })
  return [email, (await accounts.catcher.waitFor(email)).code ?? '']
}

describe.each([
  ['REST', rest],
  ['GraphQL', graphql],
])('over %s', (_name, call) => {
  it('a client may send 30 wrong codes in ten minutes, over all addresses and purposes', async () => {
    const guesses = Array.from({ length: 35 }, (_, n) =>
      (n % 2 === 0 ? confirm : reset)(newEmail(), '123456'),
    )
    const outcomes = await call(guesses, '203.0.113.1')
    expect(countOf(outcomes, 'AUTH_INVALID_CODE')).toBe(30)
    expect(countOf(outcomes, 'RATE_LIMIT_EXCEEDED')).toBe(5)
    expectRetryAfter(outcomes)

    const [email, code] = await withCode()
    expect(await call([confirm(email, code)], '203.0.113.1')).toMatchObject([
      { code: 'RATE_LIMIT_EXCEEDED' },
    ])
    // The code was not checked, so it is not used up.
    expect(await call([confirm(email, code)], '203.0.113.2')).toMatchObject([{ code: 'ok' }])
    const elsewhere = await accounts.project()
    const headers = { 'x-forwarded-for': '203.0.113.1' }
    const body = { email, code }
    const answer = await elsewhere.send('POST confirm-signup', { body, headers })
    expect(answer.body.error).toBe('AUTH_INVALID_CODE')
  })

  it('right codes do not count', async () => {
    await call(
      Array.from({ length: 29 }, () => confirm(newEmail(), '123456')),
      '203.0.113.3',
    )
    for (let n = 1; n <= 3; n++) {
      const [email, code] = await withCode()
      expect(await call([confirm(email, code)], '203.0.113.3')).toMatchObject([{ code: 'ok' }])
    }
    const last = await call([confirm(newEmail(), '1'), confirm(newEmail(), '1')], '203.0.113.3')
    expect(last.map(({ code }) => code).toSorted()).toEqual([
      'AUTH_INVALID_CODE',
      'RATE_LIMIT_EXCEEDED',
    ])
  })

  it.each([
    ['recover-password', recover, resend],
    ['resend-code', resend, recover],
  ])(
    'a client has 100 mails of %s sent in ten minutes, to whatever addresses',
    async (path, ask, other) => {
      const address = `2001:db8:9:${path.length}::1`
      const outcomes: Outcome[] = []
      for (const size of [52, 52]) {
        outcomes.push(...(await call(Array.from({ length: size }, ask), address)))
      }
      const refused = countOf(outcomes, 'RATE_LIMIT_EXCEEDED')
      expect([countOf(outcomes, 'ok'), refused]).toEqual([100, 4])
      expectRetryAfter(outcomes)
      expect(await call([other()], address)).toMatchObject([{ code: 'ok' }])
      expect(await call([ask()], '203.0.113.5')).toMatchObject([{ code: 'ok' }])
    },
  )
})

it('all clients of an IPv6 /56 have two budgets together, those of a /48 four', async () => {
  const guessAt = async (subnet: number) => {
    const address = `2001:db8:77:${subnet.toString(16)}::1`
    const guesses = Array.from({ length: 30 }, () => confirm(newEmail(), '1'))
    return countOf(await rest(guesses, address), 'AUTH_INVALID_CODE')
  }
  const passed: number[] = []
  for (const subnet of [0x0, 0x1, 0x2, 0x100, 0x101, 0x102, 0x200])
    passed.push(await guessAt(subnet))
  expect(passed).toEqual([30, 30, 0, 30, 30, 0, 0])
  const outside = await rest([confirm(newEmail(), '1')], '2001:db8:78:200::1')
  expect(outside).toMatchObject([{ code: 'AUTH_INVALID_CODE' }])
})

describe('an environment', () => {
  let twin: Running
  beforeEach(async () => {
    twin = await accounts.startService()
  })
  afterEach(async () => {
    await twin[Symbol.asyncDispose]()
  })

  /** 30 wrong short codes, from many clients and at both replicas. */
  async function useUp(path: string): Promise<void> {
    const other = await openAuthClient(twin.api, {
      projectId: client.projectId,
      settings: { emailVerification: true },
    })
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, n) =>
        (n % 2 === 0 ? client : other).send(`POST ${path}`, {
          body: { email: newEmail(), code: '123456', ...newPasswordOf(path) },
          headers: { 'x-forwarded-for': `203.0.113.${n}` },
        }),
      ),
    )
    expect(new Set(answers.map(({ body }) => body.error))).toEqual(new Set(['AUTH_INVALID_CODE']))
  }
  const newPasswordOf = (path: string) =>
    path === 'reset-password' ? { newPassword: 'a wholly new one 9' } : {}
  const mailed = async (email: string, count: number) =>
    (await accounts.catcher.waitFor(email, { count })).code ?? ''
  const long = /^[0-9A-Z]{20}$/

  it('takes 30 wrong short recovery codes an hour, and then mails long ones', async () => {
    const [email, first] = await withCode()
    await call(confirm(email, first))
    await client.send('POST recover-password', { body: { email } })
    const short = await mailed(email, 2)
    await useUp('reset-password')
    const [refused] = await rest([reset(email, short)], '198.51.100.1')
    expect(refused?.code).toBe('RATE_LIMIT_EXCEEDED')
    expect(refused?.retryAfter).toBeGreaterThan(3_500)
    expect(refused?.retryAfter).toBeLessThanOrEqual(3_600)
    await client.send('POST recover-password', { body: { email } })
    const code = await mailed(email, 3)
    expect(code).toMatch(long)
    expect(await call(reset(email, code))).toMatchObject([{ code: 'ok' }])
  })

  it('still confirms the short codes of signups then, and sends long ones again', async () => {
    await useUp('confirm-signup')
    const [email, code] = await withCode()
    expect(code).toMatch(/^\d{6}$/)
    expect(await call(confirm(email, code))).toMatchObject([{ code: 'ok' }])
    const [later] = await withCode()
    await client.send('POST resend-code', { body: { email: later } })
    const again = await mailed(later, 2)
    expect(again).toMatch(long)
    expect(await call(confirm(later, again))).toMatchObject([{ code: 'ok' }])
    // The budgets of the two purposes are apart.
    await client.send('POST recover-password', { body: { email } })
    expect(await mailed(email, 2)).toMatch(/^\d{6}$/)
  })

  it('made again under its name has a budget of its own', async () => {
    await useUp('confirm-signup')
    await accounts.database.query(
      "update environment set created_at = created_at + interval '1 ms' where project_id = $1",
      [client.projectId],
    )
    const [email] = await withCode()
    await client.send('POST resend-code', { body: { email } })
    expect(await mailed(email, 2)).toMatch(/^\d{6}$/)
  })

  const call = (one: Call) => rest([one], '198.51.100.2')
})

it('a client of IPv6 is its /64', async () => {
  const outcomes: Outcome[] = []
  for (let n = 0; n < 32; n++) {
    outcomes.push(...(await rest([confirm(newEmail(), '1')], `2001:db8:1:2:${n}::7`)))
  }
  expect(countOf(outcomes, 'RATE_LIMIT_EXCEEDED')).toBe(2)
})

describe('a client that claims another address', () => {
  const signups = async (by: AuthClient, forwardedFor: (n: number) => string) => {
    const answers = Array.from({ length: 12 }, (_, n) =>
      by.send('POST signup', {
        body: { email: newEmail(), password: 'short' },
        headers: { 'x-forwarded-for': forwardedFor(n) },
      }),
    )
    return (await Promise.all(answers)).filter(({ status }) => status === 429).length
  }

  it('is not trusted unless it is a declared proxy', async () => {
    const stranger = await openAuthClient(open.api, { projectId: client.projectId })
    expect(await signups(stranger, (n) => `203.0.113.${n}`)).toBe(2)
    expect(await signups(client, (n) => `203.0.113.${n}`)).toBe(0)
  })

  it('is found from the right of the chain, skipping only declared proxies', async () => {
    expect(await signups(client, (n) => `203.0.113.${n}, 198.51.100.1`)).toBe(2)
    const trustedProxies = proxyList.parse('127.0.0.1, ::1, 198.51.100.0/24')
    await using service = await accounts.startService({ trustedProxies })
    const behindTwo = await openAuthClient(service.api)
    expect(await signups(behindTwo, (n) => `203.0.113.${n}, 198.51.100.1`)).toBe(0)
    expect(await signups(behindTwo, (n) => `203.0.113.${n}, 192.0.2.1, 198.51.100.1`)).toBe(2)
  })
})
