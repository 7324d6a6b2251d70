import type { DeliveredChange, DeliveryAttempt, DeliveryJob } from '../events.ts'

/**
 * Builds the transition of a job to its next status. Without the fields of an attempt, it is a
 * transition without one.
 */
export function deliveryTransition(
  job: DeliveryJob,
  fields: Pick<DeliveryAttempt, 'status' | 'at'> & Partial<DeliveryAttempt>,
): DeliveryAttempt {
  const { deliveryId, eventId, subscriptionId, projectId, environment, createdAt, url } = job
  return {
    deliveryId,
    eventId,
    subscriptionId,
    projectId,
    environment,
    createdAt,
    url,
    step: job.step + 1,
    attempts: job.attempt - 1,
    attempted: false,
    httpStatus: null,
    latencyMs: null,
    errorClass: null,
    errorMessage: null,
    answer: null,
    nextAttemptAt: null,
    change: fields.status === 'dead_letter' ? deliveredChange(job) : null,
    ...fields,
  }
}

function deliveredChange({ table, operation, recordId, redeliveryOf }: DeliveryJob) {
  return { table, operation, recordId, redeliveryOf } satisfies DeliveredChange
}
