import { expect, it } from '@jest/globals'
import { deliveriesTopic } from '@surehook/contracts/topics'
import { PartitionWorld } from '../../test/support/partition-world.ts'
import { retries } from '../../test/support/places-after.ts'

it('records the outcome of an attempt while the store of circuits does not answer', async () => {
  const world = new PartitionWorld()
  world.storeAnswers = Promise.withResolvers<void>().promise
  world.enqueue('a')
  world.fetch(deliveriesTopic, 1)
  await world.settle()
  world.answer(500, true)
  await world.settle()
  expect(world.logs.get(retries)?.map(({ job }) => job.attempt)).toEqual([2])
})
