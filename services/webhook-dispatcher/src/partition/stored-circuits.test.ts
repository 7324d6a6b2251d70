import { afterEach, expect, it } from '@jest/globals'
import { deliveriesTopic } from '@surehook/contracts/topics'
import { partitionOf } from '@surehook/kafka/producer/partitioned/partition-of'
import { PartitionWorld } from '../../test/support/partition-world.ts'
import { retries } from '../../test/support/places-after.ts'

let world: PartitionWorld
afterEach(() => world.worker.dispose())

it('records the outcome of an attempt while the store of circuits does not answer', async () => {
  world = new PartitionWorld()
  world.circuit.store.recordFailure = () => Promise.withResolvers<void>().promise
  world.enqueue('a')
  world.fetch(deliveriesTopic, 1)
  await world.settle()
  world.answer(500, true)
  await world.settle()
  expect(world.logs.get(retries)?.map(({ job }) => job.attempt)).toEqual([2])
})

it('counts no failure of a subscription that was deleted, and cancels its delivery', async () => {
  world = new PartitionWorld()
  let counted = 0
  world.circuit.store.recordFailure = async () => void counted++
  world.enqueue('a')
  world.fetch(deliveriesTopic, 1)
  await world.settle()
  world.delete('a')
  world.answer(500, true)
  await world.settle()
  expect([...world.history.cancelled]).toEqual(['d0'])
  expect([counted, world.logs.get(retries)]).toEqual([0, []])
})

async function openCircuitOf(subscriptionId: string): Promise<void> {
  world = new PartitionWorld()
  world.circuit.cooldownMs = 3_600_000
  for (let n = 0; n < 5; n++) world.enqueue(subscriptionId)
  world.fetch(deliveriesTopic, 5)
  for (let n = 0; n < 5; n++) {
    await world.settle()
    world.answer(500, true)
  }
  await world.settle()
  expect(world.worker.openCircuits).toBe(1)
}

it('closes the circuit of an endpoint whose last subscription was deleted', async () => {
  await openCircuitOf('a')
  world.delete('a')
  expect(world.worker.openCircuits).toBe(0)
})

it('leaves the circuit of an endpoint to the partition to which it belongs after a growth', async () => {
  // The ids of subscriptions are those of their endpoints in this world.
  const left = ['a', 'b', 'c', 'd', 'e'].find((id) => partitionOf(id, 4) !== 0) ?? ''
  await openCircuitOf(left)
  let forgotten = 0
  world.circuit.store.reset = async () => void forgotten++
  world.grow(4)
  expect(world.worker.openCircuits).toBe(0)
  // Otherwise this would close the circuit, also for the new owner.
  world.delete(left)
  await world.settle()
  expect(forgotten).toBe(0)
})
