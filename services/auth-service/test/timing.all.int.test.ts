import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import bcrypt from 'bcrypt'
import { type AccountWorld, newEmail, openAccountWorld } from './support/account-world.ts'
import { type AuthClient, password } from './support/auth-client.ts'
import { sql } from './support/sql.ts'

let accounts: AccountWorld
let client: AuthClient
const known: string[] = []

const samples = 40
// Generous: a time that reveals an address, a hash or a missing row is a multiple.
const bound = 2

beforeAll(async () => {
  accounts = await openAccountWorld()
  client = await accounts.project()
  const passwordHash =
    '$argon2id$v=19$m=19456,t=2,p=1$c2FsdHNhbHRzYWx0$aGFzaGhhc2hoYXNoaGFzaGhhc2hoYXNoaGFzaGhhc2g'
  while (known.length < samples) known.push(newEmail())
  const users = known.map((email) => ({ email, passwordHash }))
  await client.admin('POST /users/import', { users })
})
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

/** The lower quartile, because slower times reflect other load of the machine. */
const typicalOf = (times: number[]) => times.toSorted((a, b) => a - b)[times.length >> 2] ?? 0

/** For each kind of address, the typical time of a login with a wrong password. */
async function typicalTimesOf<K extends string>(kinds: Record<K, () => string>, rounds: number) {
  const times = Object.keys(kinds).map((kind) => [kind as K, [] as number[]] as const)
  for (let i = 0; i < rounds; i++) {
    for (const [kind, taken] of times) {
      taken.push(await timeOf('login', { email: kinds[kind](), password: `${password}!` }, 401))
    }
  }
  return Object.fromEntries(times.map(([kind, taken]) => [kind, typicalOf(taken)]))
}

function expectAlike(times: Record<string, number>): void {
  const all = Object.values(times)
  // Compares an object, so that a failure prints the times.
  expect({ times, alike: Math.max(...all) / Math.min(...all) < bound }).toEqual({
    times,
    alike: true,
  })
}

/** Alternates the two, so that other load of the machine affects both alike. */
async function ratio(what: string, time: (email: string) => Promise<number>): Promise<number> {
  const [ofKnown, ofUnknown]: [number[], number[]] = [[], []]
  for (const email of known) {
    ofKnown.push(await time(email))
    ofUnknown.push(await time(newEmail()))
  }
  const [a, b] = [typicalOf(ofKnown), typicalOf(ofUnknown)]
  const reported = `${a.toFixed(2)} ms for known addresses, ${b.toFixed(2)} ms for unknown ones`
  process.stdout.write(`${what}: ${reported} (lower quartiles of ${samples})\n`)
  return Math.max(a, b) / Math.min(a, b)
}

describe('the time of an answer does not depend on whether the address is known', () => {
  it('at login', async () => {
    const login = (email: string) => timeOf('login', { email, password }, 401)
    expect(await ratio('login', login)).toBeLessThan(bound)
  })

  it('at the login that locks, which a known address is told of by mail', async () => {
    await client.change({ lockout: { threshold: 1 } })
    const login = (email: string) => timeOf('login', { email, password }, 401)
    expect(await ratio('locking login', login)).toBeLessThan(bound)
    await client.change({ lockout: null })
  })

  it('at signup with an address that is registered, confirmed or not, and whatever its password', async () => {
    const waiting = Array.from({ length: samples }, newEmail)
    for (const email of waiting) await timeOf('signup', { email, password }, 201)
    const signupWith = (tried: string) => (email: string) =>
      timeOf('signup', { email, password: tried }, 409)
    const kinds = {
      confirmed: signupWith(password),
      same: signupWith(password),
      other: signupWith(`${password}!`),
    }
    const times: Record<string, number[]> = { confirmed: [], same: [], other: [] }
    for (const [i, email] of waiting.entries()) {
      times['confirmed']?.push(await kinds.confirmed(known[i] ?? ''))
      times['same']?.push(await kinds.same(email))
      times['other']?.push(await kinds.other(email))
    }
    expectAlike(
      Object.fromEntries(Object.entries(times).map(([kind, taken]) => [kind, typicalOf(taken)])),
    )
  })

  it('at recover-password, and at reset-password with a wrong code', async () => {
    const recover = (email: string) => timeOf('recover-password', { email }, 200)
    expect(await ratio('recover-password', recover)).toBeLessThan(bound)
    const body = { newPassword: 'a wholly new one 9', code: 'xxxxxx' }
    const reset = (email: string) => timeOf('reset-password', { email, ...body }, 400)
    expect(await ratio('reset-password', reset)).toBeLessThan(bound)
  })
})

describe('the time of a login does not depend on the imported hashes of its environment', () => {
  const rounds = 25

  it.each([
    ['dearer', () => bcrypt.hash(password, 11)],
    ['cheaper', () => bcrypt.hash(password, 4)],
    ['like', () => bcrypt.hash(password, 9)],
  ])('compared with the default scheme: %s', async (_kind, hashed) => {
    client = await accounts.project({ emailVerification: false })
    const passwordHash = await hashed()
    const imported = Array.from({ length: rounds }, newEmail)
    const users = imported.map((email) => ({ email, passwordHash }))
    await client.admin('POST /users/import', { users })
    const { email } = await client.newUser()
    const times = await typicalTimesOf(
      { imported: () => imported.pop() ?? '', unknown: newEmail, own: () => email },
      rounds,
    )
    expectAlike(times)
  })

  it('nor on hashes of which the last has been rehashed', async () => {
    client = await accounts.project({ emailVerification: false })
    const email = newEmail()
    const users = [{ email, passwordHash: await bcrypt.hash(password, 12) }]
    await client.admin('POST /users/import', { users })
    const followed = () =>
      sql<{ email: string }>(
        accounts.world,
        'select email from user_account where project_id = $1 and hash_work is not null',
        [client.projectId],
      )
    expect(await followed()).toEqual([{ email }])
    await client.login(email)
    expect(await followed()).toEqual([])
  })
})
