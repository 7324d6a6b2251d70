import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from '@jest/globals'
import type { DeliveryJob } from '@surehook/contracts/events'
import { endpointId } from '@surehook/contracts/ids'
import { type Harness, openHarness } from './support/harness.ts'

/** The largest record that may be sent: key, value and this overhead. */
const maxRecordBytes = 2 * 1024 * 1024 - 1024
const recordOverhead = 70

let harness: Harness
let dispatcher: AsyncDisposable

beforeAll(async () => {
  harness = await openHarness()
  dispatcher = await harness.start()
})
afterAll(async () => {
  await dispatcher[Symbol.asyncDispose]()
  await harness[Symbol.asyncDispose]()
})

const ends = (job: DeliveryJob, status: string) => harness.settled(job.deliveryId, status)

/** At this size the length of the body is encoded in as many bytes as that of the largest. */
const bytes = 1_500_000

/**
 * Enqueues a job that fits its topic to the byte. With a due time or a header it fits no other
 * topic.
 */
async function enqueueLargest(subscription: Parameters<Harness['enqueue']>[0]) {
  const other = await harness.subscribe(subscription.url)
  const [small] = await harness.enqueue(other, 1, { bytes })
  if (small === undefined) throw new Error('no job')
  const key = endpointId(small)
  const size = recordOverhead + key.length + harness.codec.job.encode(small).length
  const [job] = await harness.enqueue(subscription, 1, { bytes: bytes + maxRecordBytes - size })
  if (job === undefined) throw new Error('no job')
  return job
}

it('makes a job that no retry topic takes a dead letter after its attempt', async () => {
  const path = `/${randomUUID()}`
  harness.receiver.answer(path, () => ({ status: 500, body: 'no' }))
  const subscription = await harness.subscribe(harness.receiver.url(path))
  const job = await enqueueLargest(subscription)
  await ends(job, 'dead_letter')
  expect(harness.transitionsOf(job.deliveryId)).toMatchObject([
    { status: 'retrying', attempts: 1, attempted: true, httpStatus: 500, step: 1 },
    { status: 'dead_letter', attempts: 1, attempted: false, errorClass: 'too_large', step: 2 },
  ])
})

it('makes a job that the paused topic does not take a dead letter, and continues', async () => {
  const path = `/${randomUUID()}`
  const url = harness.receiver.url(path)
  // From here on the encoded arrival takes more bytes.
  await harness.enqueue(await harness.subscribe(url), 64)
  const subscription = await harness.subscribe(url, { active: false })
  const job = await enqueueLargest(subscription)
  await ends(job, 'dead_letter')
  expect(harness.transitionsOf(job.deliveryId)).toMatchObject([
    { status: 'paused', step: 1 },
    { status: 'dead_letter', attempts: 0, attempted: false, errorClass: 'too_large', step: 2 },
  ])
  await harness.subscribe(url, { id: subscription.id })
  const [next] = await harness.enqueue(subscription)
  if (next === undefined) throw new Error('no job')
  await ends(next, 'delivered')
})
