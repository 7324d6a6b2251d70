import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { changeKey, endpointId } from '@surehook/contracts/ids'
import { partitionOf } from '@surehook/kafka/producer/partitioned/partition-of'
import { openWorld, type World } from './support/world.ts'

/** All on one partition; the matcher's window holds a third of them. */
const flooding = 6_000
const few = 5

let world: World

beforeAll(async () => {
  world = await openWorld()
})
afterAll(async () => world?.[Symbol.asyncDispose]())

/** Returns a value whose key is on the same partition as the given key. */
function beside(key: string, keyOf: (n: number) => string): number {
  const wanted = partitionOf(key, 4)
  for (let n = 0; ; n++) if (partitionOf(keyOf(n), 4) === wanted) return n
}

test('changes behind the flood of another tenant are matched before most of the flood', async () => {
  const floodUrl = 'https://receiver.example/flood'
  const urlOf = (n: number) => `https://receiver.example/${n}`
  // One partition shows the order in which the jobs were made.
  const floodEndpoint = endpointId({ projectId: 'flood', environment: 'master', url: floodUrl })
  const url = urlOf(
    beside(floodEndpoint, (n) =>
      endpointId({ projectId: 'small', environment: 'master', url: urlOf(n) }),
    ),
  )
  await world.subscribe({ projectId: 'flood', url: floodUrl })
  await world.subscribe({ projectId: 'small', url })
  const keyOf = (projectId: string, id: string) =>
    changeKey({ projectId, environment: 'master', table: 'orders', recordId: id })
  const recordId = `r${beside(keyOf('flood', 'r'), (n) => keyOf('small', `r${n}`))}`
  const flood = { projectId: 'flood', recordId: 'r', record: { id: 'r' } }
  await world.publish(...Array.from({ length: flooding }, () => flood))
  await world.publish(...Array.from({ length: few }, () => ({ projectId: 'small', recordId })))

  await using _matcher = await world.startMatcher()
  const jobs = await world.jobs(flooding + few, 60_000)
  const places = jobs.flatMap(({ projectId }, at) => (projectId === 'small' ? [at] : []))
  expect(places).toHaveLength(few)
  expect(Math.max(...places)).toBeLessThan(flooding / 2)
})
