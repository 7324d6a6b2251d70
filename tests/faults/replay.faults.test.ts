import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from '@jest/globals'
import type { Replay } from '@surehook/contracts/http/webhooks/log'
import { expectStatus } from '@surehook/scripts/client/call'
import { type ListeningWorld, openListeningWorld } from '../support/listening-world.ts'
import { eventually } from '../support/world.ts'

let world: ListeningWorld

beforeAll(async () => {
  world = await openListeningWorld({ replicas: { 'webhook-api': 2 } })
})
afterAll(async () => {
  await world?.[Symbol.asyncDispose]()
})

const count = 1_000

it('SIGKILL of every webhook-api during a replay loses and repeats no delivery', async () => {
  const tenant = await world.tenant()
  const neighbour = await world.tenant()
  const from = new Date(Date.now() - 60_000).toISOString()
  await neighbour.insert({ n: -1 })
  for (let n = 0; n < count; n += 100) {
    const records = Array.from({ length: 100 }, (_, place) => ({ n: n + place }))
    expectStatus(201, await tenant.rest('POST orders', records))
  }
  const witness = await world.listen(tenant)
  const listener = await world.listen(tenant)
  await tenant.insert({ n: count })
  // Everything written so far is on the log.
  await Promise.all([witness.arrived(1), listener.arrived(1)])

  const key = { 'idempotency-key': randomUUID() }
  const replay = () => tenant.webhooks(`POST /${listener.id}/replay`, { from }, key)
  const { replayId } = expectStatus(202, await replay()).body as unknown as { replayId: string }
  const path = `GET /${listener.id}/replays/${replayId}`
  const read = async () => (await tenant.webhooks(path)).body as unknown as Replay
  // A batch is committed now, but may or may not have been sent.
  await eventually(read, ({ deliveries }) => deliveries >= count / 3, 60_000)
  const replicas = world.system.services['webhook-api']
  await Promise.all(replicas.map((replica) => replica.kill('SIGKILL')))
  await Promise.all(replicas.map((replica) => replica.restart()))
  // A repeated request, as from a client without an answer, gets the same replay.
  const again = await eventually(replay, ({ status }) => status === 202, 30_000)
  expect(again.body).toEqual({ replayId })
  // The turn of a killed process lasts a minute.
  const ended = await eventually(read, ({ state }) => state !== 'running', 150_000)
  expect(ended).toMatchObject({ state: 'done', scanned: count + 1, deliveries: count + 1 })

  await listener.arrived(count + 2, 60_000)
  const numbers = listener.payloads.map(({ record }) => record['n'] as number)
  const all = Array.from({ length: count + 1 }, (_, n) => n)
  // Each change arrives once more, and the last one also arrived when it was made.
  expect(numbers.toSorted((a, b) => a - b)).toEqual([...all, count])
  expect(new Set(listener.receipts.map(({ headers }) => headers['webhook-id'])).size).toBe(
    count + 1,
  )
  expect(witness.receipts).toHaveLength(1)
}, 300_000)
