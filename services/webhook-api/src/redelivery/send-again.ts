import { randomUUID } from 'node:crypto'
import type { EmitState } from '@surehook/change-capture/emit/state-writer'
import type { DeliveryJob } from '@surehook/contracts/events'
import { newEventId } from '@surehook/contracts/ids'
import { AppError, unavailable } from '@surehook/service-kit/errors'
import type { Pool, PoolClient } from 'pg'
import { findDelivery, type LoggedDelivery, noDelivery } from '../history/read/find-delivery.ts'
import type { StoredBodies, StoredBody } from '../history/read/stored-bodies.ts'
import { isRebuilding } from '../rebuild/rebuild-store.ts'
import { isUuid, lockedSubscription } from '../subscriptions/store/find-own.ts'
import { toState } from '../subscriptions/store/subscription-row.ts'
import { ahead } from '../tenants/ahead.ts'
import type { ConnectionSlots } from '../tenants/connection-slots.ts'
import type { KeyedRequest, KeyedWriter } from '../tenants/keyed-writer.ts'
import type { Tenant } from '../tenants/tenant.ts'
import type { TenantCall } from '../tenants/tenant-call.ts'
import { emitJobs } from './jobs/emit-jobs.ts'
import type { LogJobs } from './jobs/log-jobs.ts'
import { type Original, redeliveryJob } from './jobs/redelivery-job.ts'
import { testJob } from './jobs/test-job.ts'

export type SendDeps = {
  historyPool: Pool
  slots: Pick<ConnectionSlots, 'history'>
  writer: KeyedWriter
  bodies: Pick<StoredBodies, 'find'>
  logJobs: LogJobs
}

/** Makes deliveries on request. The promises resolve once the jobs are on their topic. */
export function sendAgain(deps: SendDeps) {
  return {
    async redeliver(call: TenantCall, place: { id: string; deliveryId: string }) {
      const now = Date.now()
      const original = await ahead(() => findOriginal(deps, call.tenant, { ...place, now }))
      const request = { ...call, request: ['redeliver', place] }
      return writeAndLog(deps, request, async (tx, emit) => {
        const subscription = await lockedSubscription(tx, place.id, call.tenant)
        const source = { requestId: randomUUID(), now, traceparent: call.traceparent }
        const job = redeliveryJob(original(), subscription, source)
        await emitJobs(emit, [job])
        return { job, answer: { deliveryId: job.deliveryId } }
      })
    },

    async test(call: TenantCall, id: string) {
      const now = Date.now()
      const request = { ...call, request: ['testWebhook', id] }
      return writeAndLog(deps, request, async (tx, emit) => {
        const subscription = await lockedSubscription(tx, id, call.tenant)
        const source = { eventId: newEventId(), now, traceparent: call.traceparent }
        const job = testJob(toState(subscription), source)
        await emitJobs(emit, [job])
        return { job, answer: { eventId: job.eventId, deliveryId: job.deliveryId } }
      })
    },
  }
}

/** The longest wait of an answer for the row of its delivery, which is made already. */
const historyWaitMs = 1_000

/** Commits the job, and writes it into the history. A repeated request makes no job. */
async function writeAndLog<T extends object>(
  { writer, slots, logJobs }: SendDeps,
  request: KeyedRequest,
  work: (tx: PoolClient, emit: EmitState) => Promise<{ job: DeliveryJob; answer: T }>,
): Promise<T> {
  const made: DeliveryJob[] = []
  const answer = await writer.write(request, async (tx, emit) => {
    const done = await work(tx, emit)
    made.push(done.job)
    return done.answer
  })
  await logJobs(made, { within: slots.history(request.tenant), waitMs: historyWaitMs })
  return answer
}

/** The longest time for which a job may be read later than the transitions of its delivery. */
const jobComesWithinMs = 15 * 60_000

/** Reads before the transaction, which waits neither for the history nor for Kafka. */
async function findOriginal(
  { historyPool, slots, bodies }: Pick<SendDeps, 'historyPool' | 'slots' | 'bodies'>,
  tenant: Tenant,
  { id, deliveryId, now }: { id: string; deliveryId: string; now: number },
): Promise<Original> {
  if (!(isUuid(id) && isUuid(deliveryId))) throw noDelivery()
  const found = await slots.history(tenant)(async () => {
    const row = await findDelivery(historyPool, { tenant, subscriptionId: id, deliveryId })
    if (row !== undefined) return row
    throw (await isRebuilding(historyPool))
      ? unavailable('The history is being rebuilt')
      : noDelivery()
  })
  return resendable(found, await bodies.find(found), now)
}

function resendable(found: LoggedDelivery, body: StoredBody, now: number): Original {
  const { watched_table, operation } = found
  if (watched_table === null || operation === null || body === 'unread') {
    if (now - found.created_at.getTime() > jobComesWithinMs) throw noBody()
    throw unavailable('The log has not read the job of this delivery yet')
  }
  if (body === 'gone' || body.length === 0) throw noBody()
  return { ...found, watched_table, operation, body }
}

const noBody = () => new AppError('CONFLICT', 'The log has no body of this delivery to send')
