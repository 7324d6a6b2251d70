import { cp, mkdtempDisposable, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { admin, expectStatus } from '@surehook/scripts/client/call'
import { defaultSecret, type Tenant } from '@surehook/scripts/client/tenant'
import { repoRoot } from '@surehook/scripts/lib/paths'
import { runCommand } from '@surehook/scripts/lib/run-command'
import { newPath } from '../support/listening-world.ts'
import { openSharedWorld, type SharedWorld } from '../support/shared/shared-world.ts'
import { eventually, payloadOf } from '../support/world.ts'

type RecordWrite = { columnType?: string; signupStatus: number; record?: object; webhookId: string }

/** What `openapi-client/client.ts` exports. */
type OpenApiClient = {
  writeAsUser(tenant: object, target: { url: string; secret: string }): Promise<RecordWrite>
  readWebhook(tenant: object, id: string): Promise<{ active?: boolean; delivery?: string }>
  makeMistakes(tenant: object): Promise<{ error?: string; fields?: string[] }>
}

const resources = new AsyncDisposableStack()
let world: SharedWorld
let client: OpenApiClient

beforeAll(async () => {
  world = resources.use(await openSharedWorld())
  const { path: dir } = resources.use(await mkdtempDisposable(join(tmpdir(), 'surehook-client-')))
  client = (await import(await compiledClient(dir))) as OpenApiClient
})
afterAll(() => resources.disposeAsync())

const generator = fileURLToPath(
  new URL('bin/cli.js', import.meta.resolve('openapi-typescript/package.json')),
)

/** Generates types from the OpenAPI documents beside the client, and compiles it against them. */
async function compiledClient(dir: string): Promise<string> {
  await cp(join(import.meta.dirname, 'openapi-client'), dir, { recursive: true })
  await symlink(`${repoRoot}/node_modules`, `${dir}/node_modules`)
  await writeFile(`${dir}/package.json`, JSON.stringify({ type: 'module' }))
  const options = { composite: false, declaration: false, outDir: 'js', rootDir: '.' }
  const tsconfig = { extends: `${repoRoot}/tsconfig.base.json`, compilerOptions: options }
  await writeFile(`${dir}/tsconfig.json`, JSON.stringify(tsconfig))
  for (const api of ['auth', 'data', 'webhooks']) {
    const document = `${repoRoot}/contracts/openapi/${api}.json`
    await run('node', generator, document, '--output', `${dir}/${api}.ts`)
  }
  await run('tsc', '--project', dir)
  return `${dir}/js/client.js`
}

async function run(...args: string[]): Promise<void> {
  const { ok, output } = await runCommand({ args })
  if (!ok) throw new Error(`${args.join(' ')} failed:\n${output}`)
}

const named = ({ projectId, environment, token }: Tenant) => ({
  ...{ baseUrl: world.system.baseUrl, projectId, environment, token },
})

it('creates a table, subscribes, signs a user up, writes as that user and sees the delivery', async () => {
  const tenant = await world.tenant()
  const { projectId, environment } = tenant
  const settings = { auth: { emailVerification: false, defaultRole: 'clerk' } }
  const base = `/${projectId}/environments/${environment}`
  expectStatus(201, await admin(world.system, `POST ${base}/roles`, { name: 'clerk' }))
  expectStatus(200, await admin(world.system, `PUT ${base}`, settings))

  const path = newPath()
  const target = { url: world.receiver.url(path), secret: defaultSecret }
  const written = await client.writeAsUser(named(tenant), target)
  const record = expect.objectContaining({ total: '12.50' })
  expect(written).toMatchObject({ columnType: 'decimal', signupStatus: 201, record })
  const [receipt] = await world.receiver.waitFor(path, 1)
  expect(receipt && payloadOf(receipt).record).toEqual(written.record)
  const shown = () => client.readWebhook(named(tenant), written.webhookId)
  const { active } = await eventually(shown, ({ delivery }) => delivery === 'delivered')
  expect(active).toBe(true)
})

it('gets errors in the documented form', async () => {
  const mistakes = await client.makeMistakes(named(await world.tenant()))
  expect(mistakes).toEqual({ error: 'TABLE_NOT_FOUND', fields: ['url'] })
})
