import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { type AccountWorld, newEmail, openAccountWorld } from './support/account-world.ts'
import { type AuthClient, password } from './support/auth-client.ts'

let accounts: AccountWorld
let client: AuthClient
const known: string[] = []

const samples = 60
// Generous: what would betray an address, a hash or a row that is not written, is a multiple.
const bound = 1.6

beforeAll(async () => {
  accounts = await openAccountWorld()
  client = await accounts.project()
  const passwordHash =
    '$argon2id$v=19$m=19456,t=2,p=1$c2FsdHNhbHRzYWx0$aGFzaGhhc2hoYXNoaGFzaGhhc2hoYXNoaGFzaGhhc2g'
  while (known.length < samples) known.push(newEmail())
  const users = known.map((email) => ({ email, passwordHash }))
  await client.admin('POST /users/import', { users })
}, 60_000)
afterAll(async () => {
  await accounts?.[Symbol.asyncDispose]()
})

let counter = 0
async function timeOf(path: string, body: unknown, status: number): Promise<number> {
  const startedAt = performance.now()
  const answer = await client.send(`POST ${path}`, {
    body,
    headers: { 'x-forwarded-for': `198.51.${counter >> 8}.${counter++ & 255}` },
  })
  expect(answer.status).toBe(status)
  return performance.now() - startedAt
}

const medianOf = (times: number[]) => times.toSorted((a, b) => a - b)[times.length >> 1] ?? 0

/** In turns, so that what else the machine does falls on both alike. */
async function ratio(time: (email: string) => Promise<number>): Promise<number> {
  const [ofKnown, ofUnknown]: [number[], number[]] = [[], []]
  for (const email of known) {
    ofKnown.push(await time(email))
    ofUnknown.push(await time(newEmail()))
  }
  const [a, b] = [medianOf(ofKnown), medianOf(ofUnknown)]
  return Math.max(a, b) / Math.min(a, b)
}

describe('the time of an answer tells a known address from an unknown one by no more than chance', () => {
  it('at login', async () => {
    const login = (email: string) => timeOf('login', { email, password }, 401)
    expect(await ratio(login)).toBeLessThan(bound)
  }, 60_000)

  it('at recover-password, and at reset-password with a wrong code', async () => {
    const recover = (email: string) => timeOf('recover-password', { email }, 200)
    expect(await ratio(recover)).toBeLessThan(bound)
    const body = { newPassword: 'a wholly new one 9', code: 'xxxxxx' }
    const reset = (email: string) => timeOf('reset-password', { email, ...body }, 400)
    expect(await ratio(reset)).toBeLessThan(bound)
  }, 60_000)
})
