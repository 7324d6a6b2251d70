import type { WalMessage } from '@surehook/change-capture/emit/capture'
import { type EmitState, stateRecord } from '@surehook/change-capture/emit/state-writer'
import type { DeliveryJob } from '@surehook/contracts/events'
import { endpointId } from '@surehook/contracts/ids'
import { deliveriesTopic } from '@surehook/contracts/topics'
import type { OutgoingRecord } from '@surehook/kafka/producer/producer'
import type { EventCodec } from '@surehook/schemas/codec'

/**
 * Emits jobs to `webhook.deliveries` within a transaction. Call it in `StateWriter.write`, which
 * resolves once Kafka has them. Then give them to `LogJobs`.
 */
export async function emitJobs(emit: EmitState, jobs: readonly DeliveryJob[]): Promise<void> {
  for (const job of jobs) {
    const key = endpointId(job)
    const state: CapturedJob = { ...job, body: job.body.toString('base64') }
    await emit({ topic: deliveriesTopic, key, state })
  }
}

/** The form in the WAL, which holds text. */
type CapturedJob = Omit<DeliveryJob, 'body'> & { body: string }

/** Encodes the records that webhook-api captures in the WAL: states of subscriptions, and jobs. */
export function capturedRecord(codec: Pick<EventCodec, 'ofTopic' | 'job'>) {
  const toStateRecord = stateRecord(codec)
  return (captured: WalMessage): OutgoingRecord => {
    const { header, body } = captured
    if (header.topic !== deliveriesTopic) return toStateRecord(captured)
    const job = JSON.parse(body) as CapturedJob
    const value = codec.job.encode({ ...job, body: Buffer.from(job.body, 'base64') })
    return { topic: header.topic, key: header.key, value }
  }
}
