import { randomUUID } from 'node:crypto'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { freePort } from '@surehook/scripts/lib/ports'
import { type ProcessHandle, startProcess } from '@surehook/scripts/lib/processes/managed-process'
import { openProcessGroup, type ProcessGroup } from '@surehook/scripts/lib/processes/process-group'
import { installPackages } from '@surehook/scripts/published/installed-packages'
import { nodesOf } from '@surehook/scripts/published/node-versions'
import type { AuthTenant } from '../support/auth/auth-tenant.ts'
import { transports } from '../support/auth/auth-transports.ts'
import { writeExample } from '../support/commands/readme-example.ts'
import { openSharedAuthWorld, type SharedAuthWorld } from '../support/shared/shared-world.ts'

const recipe = new URL('../../docs/guides/accept-access-tokens.md', import.meta.url)
const dir = fileURLToPath(new URL(`../../.local/recipes/${randomUUID()}/`, import.meta.url))

let world: SharedAuthWorld
let tenant: AuthTenant
let group: ProcessGroup
let service: ProcessHandle
let url: string

beforeAll(async () => {
  world = await openSharedAuthWorld()
  const [[, transport]] = transports as readonly [(typeof transports)[0]]
  tenant = await world.tenant(transport, { auth: { emailVerification: false } })
  await mkdir(dir, { recursive: true })
  const [, code = ''] = /```ts\n(import[^]*?)```/.exec(await readFile(recipe, 'utf8')) ?? []
  await writeFile(`${dir}main.ts`, code)
  const port = await freePort()
  url = `http://127.0.0.1:${port}/orders`
  group = await openProcessGroup(`${dir}pids`)
  service = await startRecipe(['--conditions=source', `${dir}main.ts`], { port, url })
})
afterAll(async () => {
  await service?.stop()
  await group?.close()
  await rm(dir, { recursive: true, force: true })
  await world?.[Symbol.asyncDispose]()
})

async function startRecipe(
  args: string[],
  { port, url: address, node }: { port: number; url: string; node?: string },
): Promise<ProcessHandle> {
  const { baseUrl, serviceToken, endpoints } = world.system
  return startProcess(
    {
      name: 'recipe',
      command: node ?? process.execPath,
      args,
      env: {
        BASE_URL: baseUrl,
        KAFKA_BROKERS: endpoints.kafkaBrokers,
        SCHEMA_REGISTRY_URL: endpoints.schemaRegistryUrl,
        SERVICE_TOKEN: serviceToken,
        PROJECT: tenant.projectId,
        PORT: String(port),
      },
      marker: args.at(-1) ?? '',
      logFile: `${dir}recipe-${port}.log`,
      stopSignal: 'SIGTERM',
      isReady: async () =>
        fetch(address).then(
          ({ status }) => status === 401,
          () => false,
        ),
      readyTimeoutMs: 300_000,
    },
    { group, log: () => {} },
  )
}

async function ask(token?: string, address = url) {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
  const response = await fetch(address, { headers })
  const challenge = response.headers.get('www-authenticate')
  return { status: response.status, challenge, body: await response.json() }
}

describe('the service of the recipe', () => {
  it.each([
    ['signed', false],
    ['encrypted', true],
  ])('accepts a %s token until its user logs out', async (_, encryptTokens) => {
    await tenant.configure({ emailVerification: false, encryptTokens })
    const { session } = await tenant.newUser()
    expect(session.accessToken.split('.')).toHaveLength(encryptTokens ? 5 : 3)
    const user = { status: 200, body: { user: session.user.id, roles: [] } }
    expect(await ask(session.accessToken)).toMatchObject(user)
    expect(await ask(session.accessToken)).toMatchObject(user)
    await tenant.do('logout', {}, { accessToken: session.accessToken })
    expect(await ask(session.accessToken)).toMatchObject({
      status: 401,
      body: { error: 'AUTH_TOKEN_INVALID' },
      challenge: expect.stringContaining('error="invalid_token"'),
    })
  })

  it('refuses a token of another project, and a missing token', async () => {
    const [[, transport]] = transports as readonly [(typeof transports)[0]]
    const other = await world.tenant(transport, { auth: { emailVerification: false } })
    const { session } = await other.newUser()
    expect((await ask(session.accessToken)).status).toBe(401)
    expect(await ask()).toMatchObject({ status: 401, challenge: 'Bearer' })
  })
})

it('the README of the package accepts a token, outside of the repository', async () => {
  await tenant.configure({ emailVerification: false, encryptTokens: false })
  await using installed = await installPackages(['token-verifier'], ['express@5.3.0'])
  const example = await writeExample(installed, 'token-verifier')
  const { session } = await tenant.newUser()
  const accepted = { status: 200, body: { user: session.user.id, roles: [] } }
  for (const [version, node] of await nodesOf(process.env['PATH'] ?? '')) {
    const port = await freePort()
    const at = { port, url: `http://127.0.0.1:${port}/me`, node }
    const started = await startRecipe([example], at)
    const answer = await ask(session.accessToken, at.url)
    const forged = await ask(`${session.accessToken.slice(0, -8)}AAAAAAAA`, at.url)
    await started.stop()
    expect([version, answer]).toEqual([version, expect.objectContaining(accepted)])
    expect([version, forged.status]).toEqual([version, 401])
  }
})
