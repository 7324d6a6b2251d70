import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { deliveryId } from '@surehook/contracts/ids'
import { aSubscription } from '@surehook/contracts/testing/samples'
import { until } from '@surehook/testing/until'
import { openWorld, type World } from './support/world.ts'

const fanOut = 10_000
let world: World
let matcher: ChildProcess | undefined

beforeAll(async () => {
  world = await openWorld()
})
afterAll(async () => {
  matcher?.kill('SIGKILL')
  await world[Symbol.asyncDispose]()
})

function spawnMatcher(): ChildProcess {
  const script = fileURLToPath(new URL('support/run-matcher.ts', import.meta.url))
  const args = ['--conditions=source', script, JSON.stringify(world.config)]
  return spawn(process.execPath, args, { stdio: 'inherit' })
}

test('after a crash between Kafka and the commit the same deliveries are made again', async () => {
  const { config, producer, codec, kafka, written } = world
  const ids = Array.from(
    { length: fanOut },
    (_, n) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`,
  )
  await producer.send(
    ids.map((id) => ({
      topic: config.topics.subscriptions,
      key: id,
      value: codec.subscription.encode(
        aSubscription({ id, url: `https://receiver.example/${id}` }),
      ),
    })),
  )
  matcher = spawnMatcher()
  const eventId = '0198c5e1-7a64-7cc3-98c4-dc0c0c07398f'
  await world.publish({ id: eventId })
  await world.jobs(1, 30_000)
  matcher.kill('SIGKILL')
  await once(matcher, 'exit')

  const admin = kafka.admin()
  await admin.connect()
  const committed = await admin.fetchOffsets({
    groupId: config.groupId,
    topics: [config.topics.changes],
  })
  await admin.disconnect()
  // The change is the first one of its partition.
  expect(committed[0]?.partitions.every(({ offset }) => Number(offset) <= 0)).toBe(true)

  matcher = spawnMatcher()
  const expected = new Set(ids.map((id) => deliveryId(eventId, id)))
  const seen = () => new Set(written.jobs.map((job) => job.deliveryId))
  await until(() => written.jobs.length > fanOut && seen().size === fanOut, {
    what: 'every delivery, some of them twice',
    timeoutMs: 90_000,
  })
  expect(seen()).toEqual(expected)
  const bytes = new Map<string, Buffer>()
  for (const [at, job] of written.jobs.entries()) {
    const first = bytes.get(job.deliveryId)
    if (first === undefined) bytes.set(job.deliveryId, written.jobBytes[at] ?? Buffer.alloc(0))
    else expect(first.equals(written.jobBytes[at] ?? Buffer.alloc(0))).toBe(true)
  }
  matcher.kill('SIGTERM')
  const [code] = await once(matcher, 'exit')
  expect(code).toBe(0)
})
