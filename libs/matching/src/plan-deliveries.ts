import type { ChangeEvent, DeliveryAttempt, DeliveryJob } from '@surehook/contracts/events'
import { deliveryTransition } from '@surehook/contracts/events/delivery-transition'
import { deliveryId } from '@surehook/contracts/ids'
import { buildBody } from './build-body.ts'
import type { Subscription } from './subscription.ts'

/** One delivery of a change. `tooLarge` is set if it is a dead letter without any attempt. */
export type PlannedDelivery = {
  readonly job: DeliveryJob
  readonly endpoint: string
  readonly tooLarge: DeliveryAttempt | null
}

export type PlanOptions = { maxBodyBytes: number; now: number }

/**
 * Yields the deliveries of one change. Matching the change again yields the same deliveries. A body
 * is built once per set of selected fields, and only one body is in memory at a time.
 */
export function* planDeliveries(
  event: ChangeEvent,
  subscriptions: Iterable<Subscription>,
  { maxBodyBytes, now }: PlanOptions,
): Generator<PlannedDelivery> {
  const createdAt = createdAtOf(event, now)
  const bySelect = Map.groupBy(subscriptions, ({ selectKey }) => selectKey)
  for (const alike of bySelect.values()) {
    const { body, bytes } = bodyOf(event, alike[0]?.select ?? null, maxBodyBytes)
    for (const subscription of alike) {
      const { endpoint } = subscription
      const job = jobOf(event, subscription, { body, createdAt })
      if (bytes <= maxBodyBytes) yield { job, endpoint, tooLarge: null }
      else {
        const reason = `The body has ${bytes} bytes; at most ${maxBodyBytes} are sent`
        yield { ...deadLetter(job, { reason, now }), endpoint }
      }
    }
  }
}

const none = Buffer.alloc(0)

/** The same delivery as a dead letter, for a job that Kafka refuses. */
export function refusedDelivery(
  { job, endpoint }: PlannedDelivery,
  reason: string,
): PlannedDelivery {
  const withoutBody = { ...job, body: none }
  return { ...deadLetter(withoutBody, { reason, now: Date.now() }), endpoint }
}

/** Drops a body that is too large and keeps only its size. */
function bodyOf(event: ChangeEvent, select: Subscription['select'], maxBodyBytes: number) {
  const body = buildBody(event, select)
  const bytes = body.length
  return { body: bytes <= maxBodyBytes ? body : none, bytes }
}

const day = 86_400_000
const kept = 7 * day

/**
 * Time of the change, so that matching it again makes the same delivery. The log files deliveries
 * by day, so the clock replaces a time more than 7 days ago or more than a day ahead.
 */
function createdAtOf({ timestamp }: ChangeEvent, now: number): number {
  const at = Date.parse(timestamp)
  return at > now - kept && at < now + day ? at : now
}

function jobOf(
  event: ChangeEvent,
  { id: subscriptionId, url }: Subscription,
  { body, createdAt }: { body: Buffer; createdAt: number },
): DeliveryJob {
  const id = deliveryId(event.id, subscriptionId)
  return {
    deliveryId: id,
    webhookId: id,
    eventId: event.id,
    subscriptionId,
    projectId: event.projectId,
    environment: event.environment,
    table: event.table,
    operation: event.operation,
    url,
    body,
    createdAt,
    attempt: 1,
    step: 0,
    dueAt: 0,
    arrival: -1,
    redeliveryOf: null,
    traceparent: event.traceparent,
    notBefore: 0,
    waitMs: 0,
    recordId: event.recordId,
  }
}

/** Dead letter of a delivery that can never be sent. The job has no body. */
function deadLetter(
  job: DeliveryJob,
  { reason, now }: { reason: string; now: number },
): Pick<PlannedDelivery, 'job' | 'tooLarge'> {
  const failure = { errorClass: 'too_large', errorMessage: reason } as const
  return {
    job: { ...job, step: 1 },
    tooLarge: deliveryTransition(job, { status: 'dead_letter', at: now, ...failure }),
  }
}
