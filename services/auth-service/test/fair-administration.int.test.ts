import { afterAll, beforeAll, expect, it } from '@jest/globals'
import bcrypt from 'bcrypt'
import { type AccountWorld, newEmail, openAccountWorld } from './support/account-world.ts'
import { type AuthClient, openAuthClient, outcome, password } from './support/auth-client.ts'

let accounts: AccountWorld

beforeAll(async () => {
  accounts = await openAccountWorld()
})
afterAll(async () => {
  await accounts?.[Symbol.asyncDispose]()
})

/** Imports of the address into the environments hold their connections until it is disposed. */
async function blockImports(places: readonly AuthClient[], email: string) {
  const holder = await accounts.database.connect()
  await holder.query('begin')
  for (const { projectId, environment } of places) {
    await holder.query(
      `insert into user_account (id, project_id, environment, email)
       values (gen_random_uuid(), $1, $2, $3)`,
      [projectId, environment, email],
    )
  }
  return {
    async [Symbol.asyncDispose]() {
      await holder.query('rollback')
      holder.release()
    },
  }
}

it('a project with many slow imports leaves connections for the logins of others', async () => {
  // With the wait for a connection of an installation.
  const { databaseUrl } = accounts.world.database
  await using service = await accounts.startService({ databaseUrl })
  const other = await openAuthClient(service.api)
  const { email } = await other.newUser()
  const master = await openAuthClient(service.api)
  const { projectId } = master
  const staging = await openAuthClient(service.api, { projectId, environment: 'staging' })
  const users = [{ email: newEmail(), passwordHash: await bcrypt.hash(password, 4) }]

  await using stack = new AsyncDisposableStack()
  stack.use(await blockImports([master, staging], users[0]?.email ?? ''))
  const refused = Promise.withResolvers<void>()
  let refusals = 0
  const imports = Array.from({ length: 40 }, async (_, n) => {
    const place = n % 2 === 0 ? master : staging
    const answer = await place.admin('POST /users/import', { users })
    // The service has 10 connections, and the gate admits 2 imports. One that comes after their end
    // would be admitted too.
    if (answer.status === 503 && ++refusals === 38) refused.resolve()
    return answer
  })
  await refused.promise
  expect(outcome(await other.send('POST login', { body: { email, password } }))).toEqual([200])

  await stack.disposeAsync()
  const answers = await Promise.all(imports)
  const admitted = answers.filter(({ status }) => status === 200)
  expect(admitted).toHaveLength(2)
  for (const answer of answers) {
    if (admitted.includes(answer)) continue
    expect(outcome(answer)).toEqual([503, 'SERVICE_UNAVAILABLE'])
    expect(answer.headers.get('retry-after')).toBe('1')
  }
})
