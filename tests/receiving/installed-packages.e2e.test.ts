import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { expectStatus } from '@surehook/scripts/client/call'
import { defaultSecret } from '@surehook/scripts/client/tenant'
import { freePort, isFree } from '@surehook/scripts/lib/ports'
import {
  type InstalledPackages,
  installPackages,
} from '@surehook/scripts/published/installed-packages'
import { waitUntil } from '@surehook/service-kit/wait-until'
import { type ListeningWorld, newPath, openListeningWorld } from '../support/listening-world.ts'
import { writeExample } from '../support/readme-example.ts'
import { eventually } from '../support/world.ts'
import { postTo } from './receivers.ts'

const nextSecret = `whsec_${Buffer.from('another, for the rotation').toString('base64')}`

let resources: AsyncDisposableStack
let world: ListeningWorld
let installed: InstalledPackages

beforeAll(async () => {
  resources = new AsyncDisposableStack()
  installed = resources.use(await installPackages(['receiver', 'publisher'], ['express@5.3.0']))
  world = resources.use(await openListeningWorld())
}, 180_000)
afterAll(async () => resources.disposeAsync())

/** Starts the example of the README as it is printed. */
async function startReceiver() {
  const port = await freePort()
  const env = {
    ...process.env,
    PORT: String(port),
    WEBHOOK_SECRETS: JSON.stringify([defaultSecret, nextSecret]),
  }
  const child = spawn(process.execPath, [await writeExample(installed, 'receiver')], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const out = text(child.stdout)
  const ended = once(child, 'close')
  const listens = async () => {
    if (child.exitCode !== null) throw new Error(`The receiver ended: ${await out}`)
    return !(await isFree(port))
  }
  await waitUntil(listens, { what: 'the receiver listens', timeoutMs: 30_000 })
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

it('the README of the publisher delivers its event', async () => {
  const tenant = await world.tenant()
  const listener = await world.listen(tenant, { table: 'invoices', events: ['UPDATE'] })
  const { kafkaBrokers, schemaRegistryUrl } = world.system.endpoints
  const file = await writeExample(installed, 'publisher', (code) =>
    code
      .replace('localhost:9092', kafkaBrokers)
      .replace('http://localhost:8081/apis/ccompat/v7', schemaRegistryUrl)
      .replace("'shop'", `'${tenant.projectId}'`)
      .replace("'master'", `'${tenant.environment}'`),
  )
  await promisify(execFile)(process.execPath, [file])
  expect(await listener.arrived(1)).toMatchObject([
    { event: 'UPDATE', record: { id: '42' }, changed_fields: ['paidAt'] },
  ])
})
