import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { SubscriptionVersion } from '@surehook/contracts/events'
import { changeKey, newEventId } from '@surehook/contracts/ids'
import { aChange } from '@surehook/contracts/testing/samples'
import { formatWalPosition, walPositionHeader } from '@surehook/contracts/wal-position'
import { ConfigResourceTypes } from '@surehook/kafka/client/surface'
import { withAdmin } from '@surehook/kafka/client/with-admin'
import { readUntil } from '@surehook/testing/kafka'
import { until } from '@surehook/testing/until'
import { openWorld, type World } from './support/world.ts'

let world: World

beforeAll(async () => {
  world = await openWorld()
})
afterAll(async () => {
  await world[Symbol.asyncDispose]()
})

const at = (lsn: bigint) => formatWalPosition({ systemId: '7412', timeline: '1' }, lsn)
const projectId = 'compacted'

const version = (lsn: bigint, fields: Partial<SubscriptionVersion>): SubscriptionVersion => ({
  ...{ walPosition: at(lsn), updatedAt: `after ${lsn}`, active: true, table: 'orders' },
  ...{ events: ['INSERT'], filter: null, select: null },
  ...fields,
})

/** Has the broker compact the topic of subscriptions, as after an hour. */
async function compactAtOnce(): Promise<void> {
  const { kafka, config } = world
  const settings = {
    ...{ 'cleanup.policy': 'compact', 'segment.ms': '50', 'min.cleanable.dirty.ratio': '0.01' },
  }
  const configEntries = Object.entries(settings).map(([name, value]) => ({ name, value }))
  const resource = { type: ConfigResourceTypes.TOPIC, name: config.topics.subscriptions }
  await withAdmin(kafka, (admin) =>
    admin.alterConfigs({ validateOnly: false, resources: [{ ...resource, configEntries }] }),
  )
}

/** Returns how many states of the subscription are on the topic. */
async function countStates(id: string): Promise<number> {
  // A newer record closes the segment of the others.
  const { id: last } = await world.subscribe({ projectId: 'other' })
  const isRead = (messages: readonly { key: Buffer | null }[]) =>
    messages.some(({ key }) => String(key) === last)
  const messages = await readUntil(world.kafka, world.config.topics.subscriptions, isRead)
  return messages.filter(({ key }) => String(key) === id).length
}

test('a matcher that starts after a compaction matches earlier changes with earlier versions', async () => {
  const createdAt = 'after 10'
  const versions = [
    version(10n, { select: ['first'] }),
    version(20n, { active: false }),
    version(30n, { filter: '{"first":2}' }),
    version(40n, { active: false }),
  ]
  const id = randomUUID()
  for (const [n, { walPosition: _, ...criteria }] of versions.entries()) {
    const state = { id, projectId, createdAt, ...criteria, versions: versions.slice(0, n + 1) }
    await world.subscribe(state, at(BigInt(n * 10 + 16)))
  }
  await compactAtOnce()
  await until(async () => (await countStates(id)) === 1, { what: 'the compaction' })
  await using _matcher = await world.startMatcher()

  const record = JSON.stringify({ id: 'r', first: 1, second: 2 })
  const lsns = [5n, 15n, 25n, 35n, 45n]
  const { changes } = world.config.topics
  await world.producer.send(
    lsns.map((lsn) => {
      const event = aChange({
        ...{ id: newEventId(), projectId, operation: 'INSERT', record, recordId: 'r' },
        changedFields: [],
      })
      const value = world.codec.change.encode(event)
      return {
        ...{ topic: changes, key: changeKey(event), value },
        headers: { [walPositionHeader]: at(lsn) },
      }
    }),
  )
  // A change of the same record, and so of the same partition, behind the others.
  await world.subscribe({ projectId, select: ['second'] }, at(50n))
  await world.publish({ projectId, recordId: 'r', record: { second: 2 } })
  const jobs = await world.jobs(2)
  expect(jobs.map(({ body }) => JSON.parse(body.toString()).record)).toEqual([
    { first: 1 },
    { second: 2 },
  ])
})
