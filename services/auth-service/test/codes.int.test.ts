import { randomInt } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import { type AccountWorld, newEmail, openAccountWorld } from './support/account-world.ts'
import { type AuthClient, outcome, password } from './support/auth-client.ts'

let accounts: AccountWorld
let client: AuthClient
let email: string

beforeAll(async () => {
  accounts = await openAccountWorld()
})
beforeEach(async () => {
  client = await accounts.project()
  email = newEmail()
  await client.send('POST signup', { body: { email, password } })
})
afterAll(async () => {
  await accounts?.[Symbol.asyncDispose]()
})

/** Each call uses another client, because guesses are limited per client too. */
const confirm = (code: string) =>
  client.send('POST confirm-signup', {
    body: { email, code },
    headers: { 'x-forwarded-for': `198.18.${randomInt(256)}.${randomInt(256)}` },
  })
const resend = () => client.send('POST resend-code', { body: { email } })
const mailedCode = async (count = 1) =>
  (await accounts.catcher.waitFor(email, { count })).code ?? 'no code'
const invalidCode = [400, 'AUTH_INVALID_CODE']
/** A code other than this one. */
const wrong = (code: string, by = 1) => String((Number(code) + by) % 1_000_000).padStart(6, '0')

async function sql(text: string): Promise<void> {
  await accounts.database.query(text, [email])
}
const ofUser = 'user_id = (select id from user_account where email = $1)'

describe('a code', () => {
  it('has five attempts: after four wrong ones the right one is accepted', async () => {
    const code = await mailedCode()
    for (let i = 1; i <= 4; i++) expect(outcome(await confirm(wrong(code, i)))).toEqual(invalidCode)
    expect(outcome(await confirm(code))).toEqual([200])
  })

  it('is invalid after five wrong attempts, even if it is then right', async () => {
    const code = await mailedCode()
    for (let i = 1; i <= 5; i++) expect(outcome(await confirm(wrong(code, i)))).toEqual(invalidCode)
    expect(outcome(await confirm(code))).toEqual(invalidCode)
  })

  it('allows no sixth attempt to simultaneous tries', async () => {
    const code = await mailedCode()
    const tries = Array.from({ length: 60 }, (_, i) => confirm(wrong(code, i + 1)))
    expect(new Set((await Promise.all(tries)).map((answer) => outcome(answer).join()))).toEqual(
      new Set([invalidCode.join()]),
    )
    const { rows } = await accounts.database.query<{ attempts_left: number; wrong_tries: number }>(
      `select attempts_left, wrong_tries from code where ${ofUser}`,
      [email],
    )
    expect(rows).toEqual([{ attempts_left: 0, wrong_tries: 5 }])
    expect(outcome(await confirm(code))).toEqual(invalidCode)
  })

  it('opens one session, however many confirm at once', async () => {
    const code = await mailedCode()
    const answers = await Promise.all(Array.from({ length: 20 }, () => confirm(code)))
    const statuses = answers.map(({ status }) => status).toSorted()
    expect(statuses).toEqual([200, ...Array<number>(19).fill(400)])
    const { rows } = await accounts.database.query<{ count: string }>(
      `select count(*) from session where ${ofUser}`,
      [email],
    )
    expect(rows).toEqual([{ count: '1' }])
  })

  it('expires after an hour', async () => {
    const code = await mailedCode()
    const { rows } = await accounts.database.query<{ minutes: number }>(
      `select round(extract(epoch from expires_at - now()) / 60)::int as minutes
         from code where ${ofUser}`,
      [email],
    )
    expect(rows).toEqual([{ minutes: 60 }])
    await sql(`update code set expires_at = now() where ${ofUser}`)
    expect(outcome(await confirm(code))).toEqual(invalidCode)
  })

  /** The mailed codes, oldest first: that of the signup and `count` more. */
  const codesAfter = async (count: number) => {
    const codes = [await mailedCode()]
    for (let more = 1; more <= count; more++) {
      expect(outcome(await resend())).toEqual([200])
      codes.push(await mailedCode(1 + more))
    }
    return codes
  }
  /** A code that is none of `codes`. */
  const noneOf = (codes: string[], nth: number) => {
    const others = Array.from({ length: 20 }, (_, i) => wrong(codes[0] ?? '', i + 1))
    return others.filter((one) => !codes.includes(one))[nth] ?? ''
  }

  it('stays valid beside the next two codes', async () => {
    const [first = ''] = await codesAfter(2)
    expect(outcome(await confirm(first))).toEqual([200])
  })

  it('is ended by the third code after it', async () => {
    const codes = await codesAfter(3)
    const [first = '', second = '', ...later] = codes
    if (![second, ...later].includes(first)) {
      expect(outcome(await confirm(first))).toEqual(invalidCode)
    }
    expect(outcome(await confirm(second))).toEqual([200])
  })

  it('shares its attempts with the codes beside it, and does not get them back', async () => {
    const codes = await codesAfter(1)
    for (let n = 0; n < 4; n++)
      expect(outcome(await confirm(noneOf(codes, n)))).toEqual(invalidCode)
    expect(outcome(await resend())).toEqual([200])
    const last = await mailedCode(3)
    const all = [...codes, last]
    expect(outcome(await confirm(noneOf(all, 5)))).toEqual(invalidCode)
    for (const old of codes) {
      if (old !== last) expect(outcome(await confirm(old))).toEqual(invalidCode)
    }
    expect(outcome(await confirm(last))).toEqual([200])
  })

  it('is redeemed with all the others', async () => {
    const [first = '', second = ''] = await codesAfter(1)
    expect(outcome(await confirm(first))).toEqual([200])
    expect(outcome(await confirm(second))).toEqual(invalidCode)
  })

  it('for recovery stays valid while a stranger requests more', async () => {
    const recover = (from: string) =>
      client.send('POST recover-password', {
        body: { email },
        headers: { 'x-forwarded-for': from },
      })
    await mailedCode()
    await recover('198.18.0.1')
    const code = await mailedCode(2)
    for (const count of [3, 4]) {
      await recover('203.0.113.1')
      await mailedCode(count)
    }
    const reset = { email, newPassword: 'a wholly new one 9', code }
    expect(outcome(await client.send('POST reset-password', { body: reset }))).toEqual([200])
  })

  it('is valid only for its purpose, its address and its environment', async () => {
    const code = await mailedCode()
    const newPassword = 'a wholly new one 9'
    expect(
      outcome(await client.send('POST reset-password', { body: { email, newPassword, code } })),
    ).toEqual(invalidCode)
    const other = await accounts.project()
    await other.send('POST signup', { body: { email, password } })
    expect(outcome(await other.send('POST confirm-signup', { body: { email, code } }))).toEqual(
      invalidCode,
    )
    const neighbour = newEmail()
    await client.send('POST signup', { body: { email: neighbour, password } })
    expect(
      outcome(await client.send('POST confirm-signup', { body: { email: neighbour, code } })),
    ).toEqual(invalidCode)
    expect(outcome(await confirm(code))).toEqual([200])
  })

  const long = /^[0-9A-HJKMNP-TV-Z]{20}$/
  /** Requests another code and tries it wrongly, until `tries` were wrong. */
  const tryWrongly = async (tries: number) => {
    let code = await mailedCode()
    for (let done = 0; done < tries; done++) {
      if (done > 0 && done % 5 === 0) {
        await resend()
        code = await mailedCode(1 + done / 5)
      }
      expect(outcome(await confirm(wrong(code, 1 + (done % 5))))).toEqual(invalidCode)
    }
  }

  it('is long after ten wrong tries within a week, and no wrong tries use it up', async () => {
    await tryWrongly(10)
    await resend()
    const code = await mailedCode(3)
    expect(code).toMatch(long)
    for (let i = 1; i <= 40; i++) await confirm(String(i).padStart(6, '0'))
    const [half, rest] = [code.slice(0, 10), code.slice(10)]
    expect(outcome(await confirm(` ${half.toLowerCase()}-${rest}`))).toEqual([200])
  })

  it('is short again when the week is over', async () => {
    await tryWrongly(10)
    await sql(`update code set wrong_since = now() - interval '169 hours' where ${ofUser}`)
    await resend()
    expect(await mailedCode(3)).toMatch(/^\d{6}$/)
  })

  it.each([
    [13, [200]],
    [14, invalidCode],
  ])('is right after %i wrong tries of a week: %j', async (tries, expected) => {
    await tryWrongly(9)
    await resend()
    const code = await mailedCode(3)
    for (let i = 10; i <= tries; i++) await confirm(wrong(code, i))
    expect(outcome(await confirm(code))).toEqual(expected)
  })

  it('of a recovery is long alike, also after one was redeemed', async () => {
    await confirm(await mailedCode())
    const recover = () => client.send('POST recover-password', { body: { email } })
    const reset = (code: string, newPassword: string) =>
      client.send('POST reset-password', { body: { email, newPassword, code } })
    await recover()
    const short = await mailedCode(2)
    await sql(`update code set wrong_tries = 30, wrong_since = now() where ${ofUser}`)
    expect(outcome(await reset(short, 'a wholly new one 9'))).toEqual([200])
    // The notice of the reset is the third mail.
    await accounts.catcher.waitFor(email, { count: 3 })
    expect(outcome(await recover())).toEqual([200])
    const code = await mailedCode(4)
    expect(code).toMatch(long)
    expect(outcome(await reset(short, 'another new one 8'))).toEqual(invalidCode)
    expect(outcome(await reset(code, 'another new one 8'))).toEqual([200])
  })

  it('keeps its five attempts, however many tries were wrong before it', async () => {
    const first = await mailedCode()
    await confirm(wrong(first))
    await sql(`update code set wrong_tries = 9 where ${ofUser}`)
    await resend()
    const code = await mailedCode(2)
    for (let i = 1; i <= 4; i++) expect(outcome(await confirm(wrong(code, i)))).toEqual(invalidCode)
    expect(outcome(await resend())).toEqual([200])
    expect(outcome(await confirm(code))).toEqual([200])
  })

  it('is not sent again to a confirmed address', async () => {
    await confirm(await mailedCode())
    expect(outcome(await resend())).toEqual([200])
    const later = newEmail()
    await client.send('POST signup', { body: { email: later, password } })
    await accounts.catcher.waitFor(later)
    expect(accounts.catcher.mails.filter(({ to }) => to === email)).toHaveLength(1)
  })

  it('is not readable in the database', async () => {
    const code = await mailedCode()
    const { rows } = await accounts.database.query<{ row: string }>(
      `select row_to_json(c)::text as row from code c where ${ofUser}
       union all select row_to_json(m)::text from mail_outbox m where m.recipient = $1`,
      [email],
    )
    expect(rows.length).toBeGreaterThan(0)
    for (const { row } of rows) expect(row).not.toContain(code)
  })
})
