import { describe, expect, it } from '@jest/globals'
import type { Answer } from '@surehook/scripts/client/call'
import { newEmail } from './support/account-world.ts'
import { outcome, password } from './support/auth-client.ts'
import { clientIp, useTwoInstances } from './support/use-two-instances.ts'

const on = useTwoInstances()
const { post, signup, login } = on

function expectLimited({ status, headers, body }: Answer): void {
  expect([status, body.error]).toEqual([429, 'RATE_LIMIT_EXCEEDED'])
  expect(headers.get('retry-after')).toMatch(/^\d+$/)
  expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(1)
  expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(60)
}

const limited = (answers: readonly Answer[]) => answers.filter(({ status }) => status === 429)

describe('rate limits', () => {
  it('let ten signups a minute through for one address, over two instances at once', async () => {
    const answers = await Promise.all(
      Array.from({ length: 14 }, (_, i) =>
        post(
          'signup',
          { email: newEmail(), password: 'short' },
          { by: i % 2 === 0 ? on.client : on.other },
        ),
      ),
    )
    expect(limited(answers)).toHaveLength(4)
    for (const answer of limited(answers)) expectLimited(answer)
    expect(outcome(await signup(newEmail(), { at: '203.0.113.2' }))).toEqual([201])
  })

  it('let twenty logins a minute through for one address, whatever the account', async () => {
    const answers = await Promise.all(
      Array.from({ length: 24 }, (_, i) =>
        login(newEmail(), password, { by: i % 2 === 0 ? on.client : on.other }),
      ),
    )
    expect(limited(answers)).toHaveLength(4)
    for (const answer of limited(answers)) expectLimited(answer)
  })

  it('count an IPv6 network of /64 as one address', async () => {
    const within = Array.from({ length: 11 }, (_, i) =>
      post('signup', { email: newEmail(), password: 'short' }, { at: `2001:db8:1:2:${i}::7` }),
    )
    expect(limited(await Promise.all(within))).toHaveLength(1)
    const next = post('signup', { email: newEmail(), password: 'short' }, { at: '2001:db8:1:3::7' })
    expect((await next).status).toBe(400)
  })

  it.each(['recover-password', 'resend-code'])(
    'let five calls of %s a minute through for one e-mail address, from anywhere, known or not',
    async (path) => {
      const known = newEmail()
      await signup(known)
      for (const email of [known, newEmail()]) {
        const answers = await Promise.all(
          Array.from({ length: 8 }, (_, i) =>
            post(path, { email }, { at: clientIp(), by: i % 2 === 0 ? on.client : on.other }),
          ),
        )
        expect(limited(answers)).toHaveLength(3)
        for (const answer of limited(answers)) expectLimited(answer)
        expect(answers.filter(({ status }) => status === 200)).toHaveLength(5)
      }
      expect((await post(path, { email: newEmail() })).status).toBe(200)
    },
  )

  it('are of one project alone', async () => {
    const tries = Array.from({ length: 11 }, () =>
      post('signup', { email: newEmail(), password: 'short' }),
    )
    expect(limited(await Promise.all(tries))).toHaveLength(1)
    const elsewhere = await on.accounts.project({ emailVerification: false })
    expect(outcome(await signup(newEmail(), { by: elsewhere }))).toEqual([201])
  })
})
