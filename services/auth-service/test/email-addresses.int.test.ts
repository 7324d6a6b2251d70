import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { hash as argon2Hash, argon2id } from 'argon2'
import { type AccountWorld, openAccountWorld } from './support/account-world.ts'
import { type AuthClient, password } from './support/auth-client.ts'

let accounts: AccountWorld
let client: AuthClient

beforeAll(async () => {
  accounts = await openAccountWorld()
  client = await accounts.project({ emailVerification: false })
})
afterAll(async () => {
  await accounts?.[Symbol.asyncDispose]()
})

const status = async (request: string, body: object) =>
  (await client.send(request, { body })).status

async function graphqlErrors(email: string): Promise<unknown> {
  const response = await fetch(`${accounts.service.api}/auth/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-project-id': client.projectId },
    body: JSON.stringify({
      query: `mutation ($email: String!) { login(email: $email, password: "${password}") { accessToken } }`,
      variables: { email },
    }),
  })
  return ((await response.json()) as { errors?: unknown }).errors
}

describe.each([
  "o'hara&sons/x!y=z%a#b$c*d?e^f{g}h~i`j|k@example.com",
  '{code}@xn--80ak6aa92e.xn--p1ai',
])('the address %s', (email) => {
  it('is accepted wherever an address is', async () => {
    expect(await status('POST signup', { email, password, firstName: 'A', lastName: 'B' })).toBe(
      201,
    )
    expect(await status('POST login', { email, password })).toBe(200)
    expect(await graphqlErrors(email)).toBeUndefined()
    expect(await status('POST recover-password', { email })).toBe(200)
    expect(await status('POST resend-code', { email })).toBe(200)
    expect(await status('POST confirm-signup', { email, code: '000000' })).toBe(400)
    const found = await client.admin(`GET /users?email=${encodeURIComponent(email)}`)
    expect(found.body['users']).toMatchObject([{ email }])
    const passwordHash = await argon2Hash(password, { type: argon2id, memoryCost: 4096 })
    const users = [{ email: `i.${email}`, passwordHash }]
    const imported = await client.admin('POST /users/import', { users })
    expect(imported.body).toMatchObject({ imported: 1, failed: [] })
  })
})
