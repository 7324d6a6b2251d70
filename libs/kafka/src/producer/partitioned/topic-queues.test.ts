import { expect, it } from '@jest/globals'
import { entriesOf } from './entry.ts'
import { partitionOf } from './partition-of.ts'
import { TopicQueues } from './topic-queues.ts'

const identity = { producerId: '1', producerEpoch: 0 }
const moved = Array.from({ length: 100 }, (_, n) => `key-${n}`).find(
  (key) => partitionOf(key, 2) === 0 && partitionOf(key, 4) === 2,
) as string

function entryOf(partition?: number) {
  const place = partition === undefined ? {} : { partition }
  const { entries } = entriesOf([{ topic: 't', key: moved, value: Buffer.from('v'), ...place }])
  const [entry] = entries
  if (entry === undefined) throw new Error('no entry')
  return entry
}

it('a record uses a new partition only when earlier ones of its key are acknowledged', () => {
  const topic = new TopicQueues('t')
  const earlier = topic.add(entryOf(), 2)
  expect(earlier?.partition).toBe(0)
  earlier?.batch(identity)

  expect(topic.add(entryOf(), 4)).toBeNull()
  expect([...topic.routeAll(4)]).toEqual([])
  expect(topic.isGrowing).toBe(true)

  earlier?.acknowledged()
  expect([...topic.routeAll(4)].map(({ partition }) => partition)).toEqual([2])
  expect(topic.unrouted).toBe(0)
})

it('a record for a partition that is not known yet waits for newer metadata', () => {
  const topic = new TopicQueues('t')
  expect(topic.add(entryOf(3), 2)).toBeNull()
  expect([...topic.routeAll(4)].map(({ partition }) => partition)).toEqual([3])
})

it('a broker that is behind the others does not bring back an earlier number', () => {
  const topic = new TopicQueues('t')
  expect(topic.add(entryOf(), 4)?.partition).toBe(2)
  expect(topic.add(entryOf(), 2)?.partition).toBe(2)
})
