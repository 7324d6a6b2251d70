import { readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { freePort } from '@surehook/scripts/lib/ports'
import {
  type InstalledPackages,
  installPackages,
} from '@surehook/scripts/published/installed-packages'
import { commandsOf, startShell, strangersVariables } from '../support/commands/checkout.ts'
import { writeExample } from '../support/commands/readme-example.ts'
import { openSharedWorld, type SharedWorld } from '../support/shared/shared-world.ts'

let resources: AsyncDisposableStack
let world: SharedWorld
/** As after `npm init -y`. */
let installed: InstalledPackages

beforeAll(async () => {
  resources = new AsyncDisposableStack()
  installed = resources.use(await installPackages(['auth', 'client', 'publisher', 'cli']))
  const manifest = JSON.parse(await readFile(join(installed.dir, 'package.json'), 'utf8'))
  await installed.write('package.json', JSON.stringify({ ...manifest, type: 'commonjs' }))
  world = resources.use(await openSharedWorld())
})
afterAll(async () => resources.disposeAsync())

async function run(commands: string, env: NodeJS.ProcessEnv): Promise<string> {
  await using shell = startShell(installed.dir, commands, { ...strangersVariables, ...env })
  expect({ code: await shell.ended, out: shell.out() }).toMatchObject({ code: 0 })
  return shell.out()
}

/** Saves the example of a README under the name that the README says, and returns that name. */
async function saveExample(name: 'auth' | 'client' | 'publisher', change = (code: string) => code) {
  const { dir } = installed
  const [, file = ''] = /Save it as `([\w.]+)`/.exec(await readme(name)) ?? []
  await writeExample({ dir, write: (_, code) => installed.write(file, code) }, name, change)
  return basename(file)
}

async function readme(name: string): Promise<string> {
  return readFile(join(installed.dir, `node_modules/@surehook/${name}/README.md`), 'utf8')
}

it('the README of auth runs as printed in a new project, without another setting', async () => {
  const { baseUrl, adminToken } = world.system
  const project = `auth-${await freePort()}`
  const own = (text: string) =>
    text.replaceAll('http://localhost:8080', baseUrl).replaceAll(/\bshop\b/g, project)
  const [prepare = '', table = ''] = await commandsOf({
    ...{ file: 'packages/auth/README.md', from: '## A project for your users' },
    to: '## Use',
  })
  const operator = { SUREHOOK_URL: baseUrl, SUREHOOK_ADMIN_TOKEN: adminToken }
  const [token = ''] = /mt_\S+/.exec(await run(own(prepare), operator)) ?? []
  await run(own(table).replace('mt_…', token), {})
  const file = await saveExample('auth', own)
  expect(await run(`node ${file}`, {})).toBe(
    'signedIn\nHello Ada\norder: 201\norders: 200\nsignedOut\n',
  )
})

it('the README of the client runs as printed', async () => {
  const { projectId, token } = await world.tenant()
  const env = {
    SUREHOOK_URL: world.system.baseUrl,
    SUREHOOK_PROJECT: projectId,
    SUREHOOK_TOKEN: token,
  }
  const out = await run(`node ${await saveExample('client')}`, env)
  expect(out).toMatch(/^order [\w-]+: 12\.50\nINSERT of Ada\nUPDATE of Ada\n$/)
})

it('the README of the publisher runs as printed, but for its addresses', async () => {
  const { kafkaBrokers, schemaRegistryUrl } = world.system.endpoints
  const file = await saveExample('publisher', (code) =>
    code
      .replace('localhost:9092', kafkaBrokers)
      .replace('http://localhost:8081/apis/ccompat/v7', schemaRegistryUrl),
  )
  await run(`node ${file}`, {})
})
