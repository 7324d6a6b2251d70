import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from '@jest/globals'
import type { DeliveryAttempt, DeliveryJob } from '@surehook/contracts/events'
import type {
  DeliveryDetail,
  listDeliveries,
  redeliver,
} from '@surehook/contracts/http/webhooks/deliveries'
import type { ReplyOf } from '@surehook/contracts/operation'
import { aJob, anAttempt } from '@surehook/contracts/testing/samples'
import { attemptsTopic, deliveriesTopic } from '@surehook/contracts/topics'
import type { Admin } from '@surehook/kafka/client/surface'
import { until } from '@surehook/testing/until'
import type { Pool } from 'pg'
import { dayTable } from '../src/history/rows/delivery-days.ts'
import { clientOf, validInput } from './support/client.ts'
import { openWorld, type Running, type World } from './support/under-test.ts'

let world: World
let pool: Pool
let admin: Admin

beforeAll(async () => {
  world = await openWorld()
  admin = world.kafka.admin()
  await admin.connect()
  pool = world.historyPool
})
afterAll(async () => {
  await admin?.disconnect()
  await world?.[Symbol.asyncDispose]()
})

const send = (topic: string, key: string, value: Buffer) =>
  world.producer.send([{ topic, key, value }])
const sendJob = (job: DeliveryJob) => send(deliveriesTopic, job.url, world.codec.job.encode(job))
const sendMove = (transition: DeliveryAttempt) =>
  send(attemptsTopic, transition.deliveryId, world.codec.attempt.encode(transition))

const topics = [deliveriesTopic, attemptsTopic] as const
type Ends = Map<string, { partition: number; offset: string }[]>

async function endsNow(): Promise<Ends> {
  const ends = topics.map(async (topic) => {
    const partitions = await admin.fetchTopicOffsets(topic)
    return [topic, partitions.map(({ partition, high }) => ({ partition, offset: high }))] as const
  })
  return new Map(await Promise.all(ends))
}

/** Makes the log read everything since `since` again, as from the beginning of the topics. */
async function readAgain(since: Ends): Promise<void> {
  const isReset = async () => {
    const { groups } = await admin.describeGroups(['webhook-api'])
    if (groups[0]?.state !== 'Empty') return false
    for (const [topic, partitions] of since) {
      await admin.setOffsets({ groupId: 'webhook-api', topic, partitions })
    }
    return true
  }
  await until(isReset, { what: 'an empty group' })
}

it('rebuilds the same history from the topics after the log is lost', async () => {
  const since = await endsNow()
  const tenant = await world.tenant()
  const { projectId, environment } = tenant
  let id = ''
  const at = async <T = ReplyOf<typeof listDeliveries>>(running: Running, path = '') =>
    (await clientOf(running.api, tenant).call<T>(`GET /${id}/deliveries${path}`)).body
  const shownBy = async (running: Running) => {
    const { deliveries } = await at(running)
    const details = await Promise.all(
      deliveries.map((one) => at<DeliveryDetail>(running, `/${one.id}`)),
    )
    return { deliveries, details }
  }
  const settled = (running: Running, count: number) => async () => {
    const { deliveries } = await at(running)
    return deliveries.filter(({ status }) => status !== 'pending').length === count
  }

  const first = await world.startService()
  const client = clientOf(first.api, tenant)
  id = (await client.call('POST', validInput(tenant))).body.id
  const own = { deliveryId: randomUUID(), subscriptionId: id, projectId, environment }
  const job = aJob({ ...own, eventId: randomUUID(), createdAt: Date.now() - 60_000 })
  const moveOf = (change: Partial<DeliveryAttempt>) =>
    anAttempt({ ...own, eventId: job.eventId, createdAt: job.createdAt, ...change })
  // The transitions come before their job, out of order and twice.
  await sendMove(moveOf({ step: 2, status: 'dead_letter', attempts: 2, httpStatus: 500 }))
  await sendMove(moveOf({ step: 1, status: 'retrying', httpStatus: 503 }))
  await sendJob(job)
  await sendJob(job)
  const isKnown = async () => {
    const { text } = await client.call(`GET /${id}/deliveries/${own.deliveryId}`)
    return text.includes('"dead_letter"') && text.includes('"body":"{')
  }
  await until(isKnown, { what: 'the dead letter' })
  const again = await client.call<ReplyOf<typeof redeliver>>(
    `POST /${id}/deliveries/${own.deliveryId}/redeliver`,
  )
  expect(again.status).toBe(202)
  const { deliveryId } = again.body
  const createdAt = Date.parse((await at(first)).deliveries[0]?.createdAt ?? '')
  await sendMove(moveOf({ deliveryId, createdAt, at: createdAt + 5 }))
  await until(settled(first, 2), { what: 'the redelivery' })
  const before = await shownBy(first)
  await first[Symbol.asyncDispose]()

  await pool.query(`truncate ${dayTable}`)
  await readAgain(since)
  await using second = await world.startService()
  await until(settled(second, 2), { what: 'the history', timeoutMs: 90_000 })
  await until(async () => JSON.stringify(await shownBy(second)) === JSON.stringify(before), {
    what: 'the same history',
  })
  expect(before.deliveries).toMatchObject([
    { id: deliveryId, redeliveryOf: own.deliveryId, status: 'delivered' },
    { id: own.deliveryId, redeliveryOf: null, status: 'dead_letter', attempts: 2 },
  ])
})
