import { setImmediate as turn } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it, jest } from '@jest/globals'
import { deliveriesTopic, pausedTopic, retryTopic } from '@surehook/contracts/topics'
import { drain } from '../../../test/support/partition-steps.ts'
import { PartitionWorld } from '../../../test/support/partition-world.ts'
import { groupOf } from '../../delivery/record-groups.ts'

let world: PartitionWorld
beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate'] })
  world = new PartitionWorld()
  world.ordered.add('a')
  world.retryMs = 300
})
afterEach(() => {
  world.worker.dispose()
  jest.useRealTimers()
})

/** Reads what there is, and lets everything in progress end. */
async function goOn(): Promise<void> {
  world.fetch(deliveriesTopic, 20)
  await world.settle()
  world.fetch(pausedTopic, 20)
  await world.settle()
  world.commit()
}

/** Answers the only attempt in flight. */
async function answer(status: number): Promise<void> {
  world.answer(status, true)
  await turn()
}

const started = () => world.started.get('a') ?? []

it('holds up the later deliveries of a record until a failed one has ended, and no others', async () => {
  for (const record of ['r1', 'r1', 'r2', 'r1']) world.enqueue('a', record)
  await goOn()
  expect(started()).toEqual([0, 2])
  await answer(500)
  // Kafka has its retry, and the next one of its record is in memory.
  await world.settle()
  expect(started()).toEqual([0, 2])
  await answer(200)
  await goOn()
  world.enqueue('a', 'r2')
  await goOn()
  expect(started()).toEqual([0, 2, 4])
  jest.advanceTimersByTime(299)
  world.worker.relieve()
  expect(world.history.ended).toBe(1)
  await drain(world)
  expect(started()).toEqual([0, 2, 4, 1, 3])
  expect(world.records.overtaken).toEqual([])
  expect(world.logs.get(retryTopic('1s'))).toEqual([])
})

it('lets no delivery overtake one that had left the paused topic when the partition moved', async () => {
  for (let nth = 0; nth < 3; nth++) world.enqueue('a', 'r1')
  world.fetch(deliveriesTopic, 2)
  await world.settle()
  world.fetch(pausedTopic, 1)
  await answer(200)
  await world.settle()
  expect(started()).toEqual([0, 1])
  world.commit()
  world.kill()
  await drain(world)
  expect(started()).toEqual([0, 1, 2])
  expect(world.records.overtaken).toEqual([])
})

it('lets a record that is always refused hold up no other one of its group', async () => {
  const poison = 'poison'
  const ids = Array.from({ length: 10_000 }, (_, n) => `r${n}`)
  const others = ids.filter((id) => groupOf(id) === groupOf(poison)).slice(0, 5)
  expect(others).toHaveLength(5)
  world.enqueue('a', poison)
  await goOn()
  await answer(500)
  await goOn()
  for (const other of [...others, ...others]) world.enqueue('a', other)
  for (let n = 0; n < 20; n++) {
    await goOn()
    await answer(200)
  }
  expect(world.history.delivered.size).toBe(10)
  expect(world.records.overtaken).toEqual([])
})

it('lets records share a queue if too many wait, and keeps the order of each', async () => {
  world.worker.dispose()
  world = new PartitionWorld({ orderedRecords: 1 })
  world.ordered.add('a')
  world.setActive('a', false)
  const records = Array.from({ length: 600 }, (_, n) => `r${n % 300}`)
  for (const record of records) world.enqueue('a', record)
  for (let n = 0; n < 200; n++) await goOn()
  world.setActive('a', true)
  await drain(world)
  expect(world.records.overtaken).toEqual([])
  expect(world.history.ended).toBe(600)
})

it('sends a delivery that was in flight before the one that waited for it, after a kill', async () => {
  world.enqueue('a', 'r1')
  world.fetch(deliveriesTopic, 1)
  await turn()
  world.enqueue('a', 'r1')
  await goOn()
  world.kill()
  // The one that waits is known, and in memory, before the one that was in flight.
  for (let n = 0; n < 3; n++) {
    world.fetch(pausedTopic, 20)
    await world.settle()
  }
  expect(world.records.overtaken).toEqual([])
  await drain(world)
  expect(world.records.overtaken).toEqual([])
  expect(world.history.ended).toBe(2)
})

it('waits behind what was paused before its subscription was ordered', async () => {
  world.ordered.clear()
  world.setActive('a', false)
  // More than are kept in memory.
  for (let n = 0; n < 600; n++) world.enqueue('a', 'r1')
  for (let n = 0; n < 130; n++) await goOn()
  world.ordered.add('a')
  world.enqueue('a', 'r1')
  await goOn()
  world.setActive('a', true)
  for (let n = 0; n < 10; n++) await goOn()
  await drain(world)
  expect(started()).toEqual(Array.from({ length: 601 }, (_, n) => n))
})

it('goes on by the usual road when the policy is switched off', async () => {
  for (let n = 0; n < 3; n++) world.enqueue('a', 'r1')
  await goOn()
  await answer(500)
  await goOn()
  world.ordered.clear()
  world.worker.subscriptionChanged('a')
  jest.advanceTimersByTime(400)
  world.worker.relieve()
  await goOn()
  await answer(500)
  await goOn()
  expect(world.logs.get(retryTopic('1s'))).toHaveLength(1)
  await drain(world)
  expect(world.history.ended).toBe(3)
})

it('attempts a retry at once whose due time a clock far ahead wrote', async () => {
  world.retryMs = 365 * 86_400_000
  for (let n = 0; n < 2; n++) world.enqueue('a', 'r1')
  await goOn()
  await answer(500)
  await goOn()
  await answer(200)
  await goOn()
  expect([...world.history.delivered]).toEqual(['d0'])
  expect(started()).toEqual([0, 1])
})

it('cancels a retry that is not due, and the next one goes', async () => {
  for (let n = 0; n < 2; n++) world.enqueue('a', 'r1')
  await goOn()
  await answer(500)
  await goOn()
  world.cancel('a', 'retrying')
  await goOn()
  expect([...world.history.cancelled]).toEqual(['d0'])
  await goOn()
  expect(started()).toEqual([0, 1])
})

it('keeps few bodies of a record with thousands of deliveries, and other records go on', async () => {
  for (let n = 0; n < 3_000; n++) world.enqueue('a', 'r1')
  world.enqueue('a', 'r2')
  for (let n = 0; n < 620; n++) {
    world.fetch(deliveriesTopic, 20)
    await world.settle()
    world.fetch(pausedTopic, 20)
    await world.settle()
    world.commit()
  }
  expect(started()).toEqual([0, 3_000])
  expect(world.worker.pausedEntries).toBeLessThan(20)
  world.answer(500, true)
  world.answer(500, true)
  await goOn()
  // The bodies behind a retry leave memory.
  expect(world.worker.pausedEntries).toBeLessThan(6)
})

it('cancels the paused deliveries of all groups, whatever comes later in one of them', async () => {
  world.setActive('a', false)
  for (const record of ['r1', 'r1', 'r1', 'r2', 'r2', 'r2']) world.enqueue('a', record)
  await goOn()
  world.cancel('a', 'paused')
  world.enqueue('a', 'r3')
  for (let n = 0; n < 10; n++) await goOn()
  expect([...world.history.cancelled].toSorted()).toEqual(['d0', 'd1', 'd2', 'd3', 'd4', 'd5'])
  expect(started()).toEqual([])
})
