import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { endpointId } from '@surehook/contracts/ids'
import { partitionOf } from '@surehook/kafka/producer/partitioned/partition-of'
import { type Harness, openHarness } from './support/harness.ts'

let harness: Harness

beforeAll(async () => {
  harness = await openHarness()
})
afterAll(async () => harness?.[Symbol.asyncDispose]())

const flooding = 1_000
const few = 5

const partition = (projectId: string, url: string) =>
  partitionOf(endpointId({ projectId, environment: 'master', url }), 4)

/** Returns a path whose endpoint has the same partition as another one. */
function pathBeside(projectId: string, wanted: number): string {
  for (;;) {
    const path = `/few-${randomUUID()}`
    if (partition(projectId, harness.receiver.url(path)) === wanted) return path
  }
}

it('delivers changes behind the flood of another tenant before most of the flood', async () => {
  const floodPath = `/flood-${randomUUID()}`
  const flood = await harness.subscribe(harness.receiver.url(floodPath))
  const projectId = `small-${randomUUID()}`
  const path = pathBeside(projectId, partition(flood.projectId, flood.url))
  const small = await harness.subscribe(harness.receiver.url(path), { projectId })
  // How many deliveries of the flood came before each of the others.
  const behind: number[] = []
  harness.receiver.answer(path, () => {
    behind.push(harness.receiver.receipts(floodPath).length)
    return { status: 200 }
  })
  // Several times the size of one fetch.
  await harness.enqueue(flood, flooding, { bytes: 4_000 })
  await harness.enqueue(small, few)
  await using _dispatcher = await harness.start({
    WEBHOOK_WINDOW: '40',
    WEBHOOK_ENDPOINT_CONCURRENCY: '2',
  })
  await harness.receiver.waitFor(path, few)
  await harness.receiver.waitFor(floodPath, flooding)
  expect(behind).toHaveLength(few)
  expect(Math.max(...behind)).toBeLessThan(flooding / 2)
  const numbers = harness.receiver
    .receipts(floodPath)
    .map(({ body }) => (JSON.parse(body) as { n: number }).n)
  // With two in flight, neighbours may swap, but none is missing or repeated.
  expect(numbers.toSorted((a, b) => a - b)).toEqual(Array.from({ length: flooding }, (_, n) => n))
})
