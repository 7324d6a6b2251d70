import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals'
import type { SubscriptionState } from '@surehook/contracts/events'
import { type Harness, openHarness, type PolicyOf } from './support/harness.ts'

let harness: Harness
let path: string

beforeAll(async () => {
  harness = await openHarness()
})
afterAll(async () => harness[Symbol.asyncDispose]())
beforeEach(() => {
  path = `/${randomUUID()}`
})

const subscribe = (policy: PolicyOf = {}, id: string = randomUUID()) =>
  harness.subscribe(harness.receiver.url(path), {
    id,
    policy: harness.policy(id, { ordered: 'record', ...policy }),
  })
const enqueue = (subscription: SubscriptionState, recordId: string, count: number) =>
  harness.enqueue(subscription, count, { recordId })
const settled = async (jobs: readonly { deliveryId: string }[]) => {
  for (const { deliveryId } of jobs) await harness.settled(deliveryId, 'delivered')
}
/** The deliveries in the order in which the receiver got them. */
const received = () =>
  harness.receiver.receipts(path).map(({ headers }) => headers['webhook-id'] ?? '')

it('a later change of a record waits for the retries of the earlier one, others go on', async () => {
  const subscription = await subscribe({ retryDelays: Array.from({ length: 20 }, () => '400ms') })
  let refuses = true
  let failing = ''
  harness.receiver.answer(path, ({ headers }) => {
    const id = headers['webhook-id'] ?? ''
    failing ||= id
    return { status: refuses && id === failing ? 500 : 204 }
  })
  await using _dispatcher = await harness.start()
  const [first] = await enqueue(subscription, 'a', 1)
  if (first === undefined) throw new Error('no job')
  const later = await enqueue(subscription, 'a', 20)
  const others = await enqueue(subscription, 'b', 5)
  await settled(others)
  expect(received().filter((id) => later.some(({ webhookId }) => webhookId === id))).toEqual([])
  refuses = false
  await settled([first, ...later])
  const ofRecord = received().filter((id) => others.every(({ webhookId }) => webhookId !== id))
  const tries = ofRecord.filter((id) => id === first.webhookId)
  expect(tries.length).toBeGreaterThan(1)
  expect(ofRecord).toEqual([...tries, ...later.map(({ webhookId }) => webhookId)])
})

it('a dead letter lets the next change go', async () => {
  const subscription = await subscribe({ retryDelays: ['100ms'] })
  let failing = ''
  harness.receiver.answer(path, ({ headers }) => ({
    status: headers['webhook-id'] === failing ? 500 : 204,
  }))
  const [first, second] = await enqueue(subscription, 'a', 2)
  failing = first?.webhookId ?? ''
  await using _dispatcher = await harness.start()
  await harness.settled(first?.deliveryId ?? '', 'dead_letter')
  await harness.settled(second?.deliveryId ?? '', 'delivered')
  expect(received()).toEqual([failing, failing, second?.webhookId])
})

it('a retry keeps the time of its delay when the ladder becomes shorter', async () => {
  const long = await subscribe({ retryDelays: ['8h'] })
  const short = await subscribe({ retryDelays: ['400ms'] })
  harness.receiver.answer(path, (_receipt, nth) => ({ status: nth <= 2 ? 500 : 204 }))
  const first = await harness.start()
  const [waiting] = await enqueue(long, 'a', 1)
  await harness.settled(waiting?.deliveryId ?? '', 'retrying')
  const [canary] = await enqueue(short, 'b', 1)
  await harness.settled(canary?.deliveryId ?? '', 'retrying')
  await first[Symbol.asyncDispose]()
  await using _second = await harness.start({ WEBHOOK_RETRY_LADDER: '100ms,200ms,300ms,400ms' })
  // Both wait on the same partition, the canary behind the other.
  await harness.settled(canary?.deliveryId ?? '', 'delivered')
  expect(received()).toEqual([waiting?.webhookId, canary?.webhookId, canary?.webhookId])
})

it('the order survives restarts of the dispatcher, an open circuit and a pause of the subscription', async () => {
  const retryDelays = Array.from({ length: 20 }, () => '100ms')
  const subscription = await subscribe({ retryDelays, concurrency: 4 })
  let isUp = false
  const seen = new Set<string>()
  harness.receiver.answer(path, ({ headers }, nth) => {
    const id = headers['webhook-id'] ?? ''
    const fails = !isUp || (nth % 7 === 0 && !seen.has(id))
    seen.add(id)
    return { status: fails ? 503 : 204 }
  })
  const records = ['a', 'b', 'c', 'd', 'e', 'f']
  const jobs = []
  const first = await harness.start()
  for (const record of records) jobs.push(await enqueue(subscription, record, 15))
  // The fifth failure opens the circuit.
  await harness.receiver.waitFor(path, 5)
  await first[Symbol.asyncDispose]()
  isUp = true
  const second = await harness.start()
  for (const record of records) jobs.push(await enqueue(subscription, record, 15))
  await harness.receiver.waitFor(path, 40, 30_000)
  const { id } = subscription
  await harness.subscribe(subscription.url, { ...subscription, active: false, id })
  await second[Symbol.asyncDispose]()
  await harness.subscribe(subscription.url, { ...subscription, id })
  await using _third = await harness.start()
  await settled(jobs.flat())
  const accepted = [...new Set(received().toReversed())].toReversed()
  for (const record of records) {
    const ofRecord = jobs.flat().filter(({ recordId }) => recordId === record)
    const ids = ofRecord.map(({ webhookId }) => webhookId)
    expect(accepted.filter((webhookId) => ids.includes(webhookId))).toEqual(ids)
    // Each came to its end before the next one began.
    const runs = received().filter((webhookId) => ids.includes(webhookId))
    expect(runs.filter((webhookId, nth) => webhookId !== runs[nth - 1])).toEqual(ids)
  }
})
