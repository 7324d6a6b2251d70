import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import type { Environment } from '@surehook/contracts/http/admin/admin'
import { type AccountWorld, newEmail, openAccountWorld } from './support/account-world.ts'
import { type AuthClient, outcome, password } from './support/auth-client.ts'

let accounts: AccountWorld
let client: AuthClient

beforeAll(async () => {
  accounts = await openAccountWorld()
})
beforeEach(async () => {
  client = await accounts.project({ emailVerification: false })
})
afterAll(async () => {
  await accounts?.[Symbol.asyncDispose]()
})

const weak = 'aaaaaaaaaaaa'
const tooGuessable = (field: string, score: number) => ({
  field,
  message: `is too easy to guess: its strength is ${score} of 4, and must be at least 3`,
  rule: 'too_guessable',
})

const noAddress = {
  field: 'email',
  message: 'must be an e-mail address, without quotes, comments and letters beyond ASCII',
  rule: 'invalid_format',
}

describe('password.minScore', () => {
  it('is 0 until an environment wants more, and 0 again after null', async () => {
    const signup = () => client.send('POST signup', { body: { email: newEmail(), password: weak } })
    expect(outcome(await signup())).toEqual([201])
    const put = (minScore: unknown) =>
      client.admin<Environment>('PUT ', { auth: { password: { minScore } } })
    expect((await put(5)).body.violations).toEqual([
      { field: 'auth.password.minScore', message: 'must be at most 4', rule: 'too_large' },
    ])
    expect((await put(3)).body.auth.password.minScore).toBe(3)
    expect(outcome(await signup())).toEqual([400, 'VALIDATION_ERROR'])
    expect((await put(null)).body.auth.password.minScore).toBe(0)
    expect(outcome(await signup())).toEqual([201])
  })

  it("refuses guessable passwords at signup, also those with the user's names", async () => {
    await client.change({ password: { minScore: 3 } })
    const signup = async (fields: object) =>
      (await client.send('POST signup', { body: { email: newEmail(), ...fields } })).body.violations
    expect(await signup({ password: weak })).toEqual([tooGuessable('password', 0)])
    const chosen = { password: 'Featherstonehaugh' }
    expect(await signup(chosen)).toBeUndefined()
    const known = await signup({ ...chosen, lastName: 'Featherstonehaugh' })
    expect(known).toEqual([tooGuessable('password', 0)])
    expect(await signup({ password })).toBeUndefined()
    expect(await signup({ email: 'nobody', password: weak })).toEqual([
      noAddress,
      tooGuessable('password', 0),
    ])
  })

  it('refuses them at a reset with a right code, which stays valid', async () => {
    const { email } = await client.newUser()
    await client.change({ password: { minScore: 3 } })
    await client.send('POST recover-password', { body: { email } })
    const { code } = await accounts.catcher.waitFor(email)
    const reset = (newPassword: string, given = code) =>
      client.send('POST reset-password', { body: { email, newPassword, code: given } })
    const wrong = String((Number(code) + 1) % 1_000_000).padStart(6, '0')
    expect(outcome(await reset(weak, wrong))).toEqual([400, 'AUTH_INVALID_CODE'])
    expect((await reset(weak)).body.violations).toEqual([tooGuessable('newPassword', 0)])
    expect(outcome(await reset('a wholly new one 9'))).toEqual([200])
  })
})
