import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { changesTopic } from '@surehook/contracts/topics'
import { headersOf, send } from '@surehook/scripts/client/call'
import { openStream, type StreamClient } from '@surehook/scripts/client/stream'
import { startStack } from '@surehook/scripts/containers/start-stack'
import type { Stack } from '@surehook/scripts/local-stack/stack'
import { until } from '@surehook/testing/until'
import { logChanges } from './support/changes.ts'
import { deleteAll } from './support/published-deliveries.ts'
import { openWorld, type Tenant, type World } from './support/under-test.ts'

// The tests stop Kafka and delete its records, so they use their own.
let dir: string
let stack: Stack
let world: World

beforeAll(async () => {
  dir = await mkdtemp(`${tmpdir()}/stream-outage-`)
  stack = await startStack({ dir, only: ['kafka', 'registry', 'postgres'] })
  world = await openWorld(stack)
})
afterAll(async () => {
  await world?.[Symbol.asyncDispose]()
  await stack?.stop()
  await rm(dir, { recursive: true, force: true })
})

const numbersOf = ({ events }: StreamClient) =>
  events.map(({ data }) => (JSON.parse(data) as { record: { n: number } }).record.n)

/** Reconnects with its cursor, as a client does, until the service accepts it. */
async function resume(api: string, tenant: Tenant, lastEventId: string): Promise<StreamClient> {
  let stream = await openStream(api, tenant, { lastEventId })
  const isTaken = async () => {
    if (stream.status === 200) return true
    stream = await openStream(api, tenant, { lastEventId })
    return false
  }
  await until(isTaken, { what: 'the stream after the outage', timeoutMs: 90_000 })
  return stream
}

it('refuses a cursor once the log has deleted changes behind it', async () => {
  await using service = await world.startService()
  const tenant = await world.tenant()
  const change = (n: number) => logChanges(world, tenant, [{ recordId: 'one', record: { n } }])
  using stream = await openStream(service.api, tenant)
  await change(0)
  await stream.arrived(1)
  const expired = stream.lastEventId
  await change(1)
  await stream.arrived(2)
  const current = stream.lastEventId
  await deleteAll(world, changesTopic)

  const page = (query: string, headers: Record<string, string> = {}) =>
    send(service.api, `GET /api/rest/_stream?format=ndjson${query}`, {
      headers: { ...headersOf(tenant), ...headers },
    })
  const message = 'has expired: the log no longer has the changes behind it'
  const byHeader = await page('', { 'last-event-id': expired })
  expect([byHeader.status, byHeader.body]).toMatchObject([
    400,
    { error: 'VALIDATION_ERROR', violations: [{ field: 'Last-Event-ID', message }] },
  ])
  const byQuery = await page(`&cursor=${expired}`)
  expect([byQuery.status, byQuery.body]).toMatchObject([
    400,
    { error: 'VALIDATION_ERROR', violations: [{ field: 'cursor', message }] },
  ])
  // The log lacks nothing behind this one.
  expect((await page(`&cursor=${current}`)).status).toBe(200)
})

it('while Kafka is away a stream pauses or ends, and its client misses and repeats nothing', async () => {
  await using service = await world.startService()
  const tenant = await world.tenant()
  const change = (n: number) => logChanges(world, tenant, [{ recordId: 'one', record: { n } }])
  using stream = await openStream(service.api, tenant)
  await change(0)
  await stream.arrived(1)
  await stack.processes.kafka?.kill()
  const isRefused = async () => {
    using other = await openStream(service.api, tenant, { lastEventId: stream.lastEventId })
    return other.status === 503
  }
  await until(isRefused, { what: 'a refusal', timeoutMs: 90_000 })
  await stack.processes.kafka?.restart()
  await change(1)
  await change(2)
  await until(() => stream.end !== null || stream.events.length >= 3, {
    what: 'the events or the end',
    timeoutMs: 90_000,
  })
  using resumed = await resume(service.api, tenant, stream.lastEventId)
  await change(3)
  await resumed.arrived(4 - stream.events.length)
  expect([...numbersOf(stream), ...numbersOf(resumed)].slice(0, 4)).toEqual([0, 1, 2, 3])
})
