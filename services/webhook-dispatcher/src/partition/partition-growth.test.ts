import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals'
import { deliveriesTopic, pausedTopic } from '@surehook/contracts/topics'
import { partitionOf } from '@surehook/kafka/producer/partitioned/partition-of'
import { PartitionWorld } from '../../test/support/partition-world.ts'
import { PartitionSubscriptions } from '../subscriptions/partition-subscriptions.ts'

const partitions = 4
/** The ids of subscriptions are those of their endpoints in this world. */
const ids = Array.from({ length: 50 }, (_, n) => `s${n}`)
const leaves = ids.find((id) => partitionOf(id, partitions) !== 0) as string
const stays = ids.find((id) => partitionOf(id, partitions) === 0) as string

let world: PartitionWorld
afterEach(() => world.worker.dispose())

async function readAll(): Promise<void> {
  for (let nth = 0; nth < 6; nth++) {
    for (const topic of [deliveriesTopic, pausedTopic]) world.fetch(topic, 10)
    world.worker.relieve()
    await world.settle()
  }
}

describe.each([false, true])('an owner that loads subscriptions late: %s', (loadsLate) => {
  beforeEach(() => {
    world = new PartitionWorld({ loadsLate })
  })

  it('jobs that have not started are rerouted in order, and those in flight end here', async () => {
    for (let nth = 0; nth < 5; nth++) world.enqueue(leaves)
    for (let nth = 0; nth < 2; nth++) world.enqueue(stays)
    await readAll()
    expect(world.rerouted).toEqual([])
    world.grow(partitions)
    expect(world.started.get(leaves)).toHaveLength(2)
    expect(world.rerouted).toEqual(['d2', 'd3', 'd4'])
    world.enqueue(leaves)
    await readAll()
    expect(world.rerouted).toEqual(['d2', 'd3', 'd4', 'd7'])
    for (let nth = 0; nth < 4; nth++) world.answer(200, true)
    await readAll()
    expect([...world.history.delivered].toSorted()).toEqual(['d0', 'd1', 'd5', 'd6'])
  })

  it('paused deliveries are rerouted in order although their subscription is inactive', async () => {
    for (const id of [leaves, stays]) world.setActive(id, false)
    for (let nth = 0; nth < 3; nth++) for (const id of [leaves, stays]) world.enqueue(id)
    await readAll()
    expect(world.worker.paused).toBe(6)
    world.grow(partitions)
    world.enqueue(leaves)
    await readAll()
    expect(world.rerouted).toEqual(['d0', 'd2', 'd4', 'd6'])
    expect(world.worker.paused).toBe(3)
  })

  it('a retry in the order of its record is rerouted before it is due', async () => {
    world.ordered.add(leaves)
    world.retryMs = 4_000
    world.enqueue(leaves, 'r')
    await readAll()
    world.answer(500, true)
    await readAll()
    expect(world.worker.paused).toBe(1)
    world.grow(partitions)
    await readAll()
    expect(world.rerouted).toEqual(['d0'])
  })

  it('the next owner goes on with what was not rerouted', async () => {
    world.setActive(leaves, false)
    for (let nth = 0; nth < 3; nth++) world.enqueue(leaves)
    await readAll()
    world.commit()
    world.grow(partitions)
    world.kill()
    await readAll()
    expect(new Set(world.rerouted)).toEqual(new Set(['d0', 'd1', 'd2']))
    expect(world.worker.paused).toBe(0)
  })
})

/** Returns how often the worker asked about a subscription, for each delivery that it rerouted. */
async function asksPerDelivery(records: number): Promise<number> {
  world = new PartitionWorld()
  world.ordered.add(leaves)
  world.setActive(leaves, false)
  const deliveries = 2 * records
  for (let nth = 0; nth < deliveries; nth++) world.enqueue(leaves, `r${nth % records}`)
  while (world.worker.paused < deliveries) await readAll()
  using asks = jest.spyOn(PartitionSubscriptions.prototype, 'get')
  world.grow(partitions)
  while (world.rerouted.length < deliveries) await readAll()
  world.worker.dispose()
  return asks.mock.calls.length / deliveries
}

it('rerouting a delivery costs as much, however many records wait', async () => {
  const few = await asksPerDelivery(40)
  expect(await asksPerDelivery(400)).toBeLessThan(2 * few)
})
