import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { dirname } from 'node:path'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { expectStatus } from '@surehook/scripts/client/call'
import { defaultSecret } from '@surehook/scripts/client/tenant'
import { freePort, isListening } from '@surehook/scripts/lib/ports'
import {
  type InstalledPackages,
  installPackages,
} from '@surehook/scripts/published/installed-packages'
import { nodesOf } from '@surehook/scripts/published/node-versions'
import { otherRuntimes } from '@surehook/scripts/published/other-runtimes'
import { until } from '@surehook/testing/until'
import { Webhook } from 'standardwebhooks'
import { commandsOf, startShell, strangersVariables } from '../support/commands/checkout.ts'
import { compileExample, writeExample } from '../support/commands/readme-example.ts'
import { newPath } from '../support/listening-world.ts'
import {
  openSharedListeningWorld,
  type SharedListeningWorld,
} from '../support/shared/shared-world.ts'
import { eventually } from '../support/world.ts'
import { postTo } from './receivers.ts'

const nextSecret = `whsec_${Buffer.from('another, for the rotation').toString('base64')}`

const nodes = [...(await nodesOf(process.env['PATH'] ?? ''))]
const runtimes = [
  ...nodes.map(([version, node]) => [`Node ${version}`, [node]] as const),
  ...otherRuntimes(process.env),
]

let resources: AsyncDisposableStack
let world: SharedListeningWorld
let installed: InstalledPackages

beforeAll(async () => {
  resources = new AsyncDisposableStack()
  const names = ['receiver', 'publisher', 'client', 'cli']
  installed = resources.use(await installPackages(names, ['express@5.3.0']))
  world = resources.use(await openSharedListeningWorld())
})
afterAll(async () => resources.disposeAsync())

/** Starts the example of the README as it is printed. */
async function startReceiver([program, ...args]: readonly string[] = [process.execPath]) {
  const port = await freePort()
  const env = {
    ...process.env,
    PORT: String(port),
    WEBHOOK_SECRETS: JSON.stringify([defaultSecret, nextSecret]),
    DENO_DIR: `${installed.dir}/deno`,
  }
  const file = await writeExample(installed, 'receiver')
  const child = spawn(program ?? '', [...args, file], {
    env,
    cwd: installed.dir,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const out = text(child.stdout)
  const ended = once(child, 'close')
  const listens = async () => {
    if (child.exitCode !== null) throw new Error(`The receiver ended: ${await out}`)
    return isListening(port)
  }
  await until(listens, { what: 'the receiver listens' })
  return {
    port,
    /** Ends it, and returns its lines. */
    async stop(): Promise<string[]> {
      child.kill('SIGTERM')
      await ended
      return (await out).trim().split('\n')
    },
  }
}

it('the README of the receiver handles deliveries once, also during a rotation', async () => {
  const receiver = await startReceiver()
  const path = newPath()
  const statuses: number[] = []
  world.receiver.answer(path, async (delivery) => {
    // The second time, its answer gets lost.
    const forwarded = { ...delivery, path: '/hooks' }
    for (const _attempt of [1, 2]) statuses.push(await postTo(receiver.port, forwarded))
    return { status: statuses.at(-1) ?? 0 }
  })
  const tenant = await world.tenant()
  const { id } = await tenant.subscribe(world.receiver.url(path))
  const delivered = (count: number) =>
    eventually(
      () => tenant.deliveries(id),
      (found) => found.filter(({ status }) => status === 'delivered').length === count,
    )
  await tenant.insert({ status: 'new', note: 'ä 😀' })
  await delivered(1)
  expectStatus(200, await tenant.webhooks(`PATCH /${id}`, { secret: nextSecret }))
  await tenant.insert({ status: 'paid' })
  await delivered(2)
  const [receipt] = world.receiver.receipts(path)
  if (receipt === undefined) throw new Error('nothing came')
  const forged = { headers: receipt.headers, body: receipt.body.replace('new', 'old') }
  expect(await postTo(receiver.port, { ...forged, path: '/hooks' })).toBe(401)

  const lines = await receiver.stop()
  expect(statuses).toEqual([204, 204, 204, 204])
  expect(lines.filter((line) => line.includes('INSERT orders'))).toHaveLength(2)
  expect(lines[0]).toContain(receipt.headers['webhook-id'])
})

for (const [runtime, command] of runtimes) {
  it(`the README of the receiver handles a delivery once on ${runtime}`, async () => {
    const receiver = await startReceiver(command)
    const change = { id: 'e1', timestamp: 't', project_id: 'shop', environment: 'master' }
    const body = JSON.stringify({ ...change, table: 'orders', event: 'INSERT', record: { n: 1 } })
    const now = new Date()
    const headers = {
      'webhook-id': 'd1',
      'webhook-timestamp': String(Math.floor(now.getTime() / 1_000)),
      'webhook-signature': new Webhook(nextSecret).sign('d1', now, body),
    }
    const statuses: number[] = []
    for (const sent of [body, body, body.replace('orders', 'others')]) {
      statuses.push(await postTo(receiver.port, { headers, body: sent, path: '/hooks' }))
    }
    const lines = await receiver.stop()
    expect(statuses).toEqual([204, 204, 401])
    expect(lines.filter((line) => line.includes('INSERT orders'))).toHaveLength(1)
  })
}

// Compiled, because Node before version 24 lacks `await using`.
it.each(nodes)('the README of the publisher delivers its event on Node %s', async (_, node) => {
  const tenant = await world.tenant()
  const listener = await world.listen(tenant, { table: 'invoices', events: ['UPDATE'] })
  const { kafkaBrokers, schemaRegistryUrl } = world.system.endpoints
  const file = await compileExample(installed, 'publisher', (code) =>
    code
      .replace('localhost:9092', kafkaBrokers)
      .replace('http://localhost:8081/apis/ccompat/v7', schemaRegistryUrl)
      .replace("'shop'", `'${tenant.projectId}'`)
      .replace("'master'", `'${tenant.environment}'`),
  )
  await promisify(execFile)(node, [file])
  expect(await listener.arrived(1)).toMatchObject([
    { event: 'UPDATE', record: { id: '42' }, changed_fields: ['paidAt'] },
  ])
})

it('the page about the first webhook works as printed, on the oldest Node of this machine', async () => {
  const file = 'docs/start/first-webhook.md'
  const [listen = '', ...receive] = await commandsOf({
    ...{ file, from: '## Listen' },
    to: '## Change a record',
  })
  const [change = ''] = await commandsOf({ file, from: '## Change a record', to: '## Next' })
  const [prepare = ''] = await commandsOf({
    ...{ file, from: '## A Surehook of your own' },
    to: '## Install',
  })
  const readme = {
    file: 'packages/cli/README.md',
    from: '## For developers',
    to: '## For operators',
  }
  expect((await commandsOf(readme)).join('')).toBe(listen)

  const { baseUrl, adminToken } = world.system
  const port = String(await freePort())
  const project = `first-${port}`
  const env = {
    ...{ PATH: pathOfOldestNode(), SUREHOOK_URL: baseUrl, SUREHOOK_PROJECT: project },
    SUREHOOK_ADMIN_TOKEN: adminToken,
  }
  const start = (commands: string, more: NodeJS.ProcessEnv = {}) =>
    startShell(
      installed.dir,
      commands
        .replace('http://localhost:8080', baseUrl)
        .replaceAll('shop', project)
        .replaceAll('3000', port)
        .replace('mt_…', more['SUREHOOK_TOKEN'] ?? ''),
      { ...strangersVariables, ...env, ...more },
    )
  await using preparing = start(prepare)
  expect({ code: await preparing.ended, out: preparing.out() }).toMatchObject({ code: 0 })
  const [token = ''] = /mt_\S+/.exec(preparing.out()) ?? []
  const own = { SUREHOOK_TOKEN: token }

  await using listening = start(listen, own)
  await using receiver = start(receive.join(''), own)
  const ready = async () =>
    listening.out().includes('signed with') && (await isListening(Number(port)))
  await until(ready, { what: 'both listen' })
  await using changing = start(change, own)
  expect({ code: await changing.ended, out: changing.out() }).toMatchObject({ code: 0 })
  const answered = () => / INSERT {2}orders\/.* 204 /.test(listening.out())
  await until(answered, { what: 'the receiver answers' })
  expect(receiver.out()).toBe('INSERT orders Ada\n')
})

function pathOfOldestNode(): string {
  const major = ([version]: [string, string]) => Number(/^v(\d+)/.exec(version)?.[1])
  const [[, node] = ['', process.execPath]] = nodes.toSorted((a, b) => major(a) - major(b))
  return `${dirname(node)}:${process.env['PATH'] ?? ''}`
}
