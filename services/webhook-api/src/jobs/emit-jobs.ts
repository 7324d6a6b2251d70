import type { Captured } from '@surehook/change-capture/emit/capture'
import { type EmitState, stateRecord } from '@surehook/change-capture/emit/state-writer'
import type { DeliveryJob } from '@surehook/contracts/events'
import { endpointId } from '@surehook/contracts/ids'
import { deliveriesTopic } from '@surehook/contracts/topics'
import type { OutgoingRecord } from '@surehook/kafka/producer/producer'
import type { EventCodec } from '@surehook/schemas/codec'
import type { PoolClient } from 'pg'
import { recordJobs } from '../history/delivery-store.ts'

/**
 * Puts jobs on `webhook.deliveries` with whatever else the transaction does: call it in a `StateWriter`'s
 * `write`, which answers once Kafka has them. They are in the delivery log as soon as it commits, so that
 * whoever has the answer finds them there; their days' partitions must exist (`DeliveryDays.ensure`).
 */
export async function emitJobs(
  tx: PoolClient,
  emit: EmitState,
  jobs: readonly DeliveryJob[],
): Promise<void> {
  await recordJobs(tx, jobs)
  for (const job of jobs) {
    const key = endpointId(job.projectId, job.environment, job.url)
    const state: CapturedJob = { ...job, body: job.body.toString('base64') }
    await emit({ topic: deliveriesTopic, key, state })
  }
}

/** As it stands in the WAL, which holds text. */
type CapturedJob = Omit<DeliveryJob, 'body'> & { body: string }

/** What the relay sends for what webhook-api captured: a subscription's state, or a job. */
export function capturedRecord(codec: Pick<EventCodec, 'ofTopic' | 'job'>) {
  const toStateRecord = stateRecord(codec)
  return (captured: Captured): OutgoingRecord => {
    const { header, body } = captured
    if (header.topic !== deliveriesTopic) return toStateRecord(captured)
    const job = JSON.parse(body) as CapturedJob
    const value = codec.job.encode({ ...job, body: Buffer.from(job.body, 'base64') })
    return { topic: header.topic, key: header.key, value }
  }
}
