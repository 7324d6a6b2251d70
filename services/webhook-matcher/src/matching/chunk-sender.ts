import { partitionOf } from '@surehook/kafka/producer/partitioned/partition-of'
import type { OutgoingRecord } from '@surehook/kafka/producer/producer'
import { UnsendableError } from '@surehook/kafka/producer/unsendable-error'
import { type PlannedDelivery, refusedDelivery } from '@surehook/matching/plan-deliveries'
import type { ChangeBatch } from '../batches/change-batch.ts'
import type { MatcherDeps } from './matcher-deps.ts'

/**
 * A fan-out is sent in chunks, so that ten thousand copies of a body are never in memory at once.
 */
const chunkRecords = 500
const chunkBytes = 2_000_000

type RecordHeaders = NonNullable<OutgoingRecord['headers']>
type SenderDeps = Pick<MatcherDeps, 'codec' | 'producer' | 'topics' | 'metrics' | 'log'>
type SenderBatch = Pick<ChangeBatch, 'signal' | 'progress' | 'jobPartitions'>
type EncodedDelivery = { delivery: PlannedDelivery; records: OutgoingRecord[]; bytes: number }

/** Sends the planned deliveries of a batch of changes. */
export class ChunkSender {
  readonly #deps: SenderDeps
  readonly #batch: SenderBatch
  #chunk: EncodedDelivery[] = []
  #records = 0
  #bytes = 0

  constructor(deps: SenderDeps, batch: SenderBatch) {
    this.#deps = deps
    this.#batch = batch
  }

  async add(delivery: PlannedDelivery, headers?: RecordHeaders): Promise<void> {
    const records = this.#recordsOf(delivery, headers)
    const bytes = records.reduce((sum, { value }) => sum + (value?.length ?? 0), 0)
    this.#chunk.push({ delivery, records, bytes })
    this.#records += records.length
    this.#bytes += bytes
    this.#count(delivery)
    if (this.#records >= chunkRecords || this.#bytes >= chunkBytes) await this.flush()
  }

  /** Resolves when Kafka has everything that was added. */
  async flush(): Promise<void> {
    this.#batch.signal.throwIfAborted()
    const chunk = this.#chunk
    this.#chunk = []
    this.#records = 0
    this.#bytes = 0
    const byProject = Map.groupBy(chunk, ({ delivery }) => delivery.job.projectId)
    await Promise.all([...byProject].map(([project, planned]) => this.#sendOf(project, planned)))
  }

  async #sendOf(project: string, planned: readonly EncodedDelivery[]): Promise<void> {
    const { progress } = this.#batch
    progress.sending(project, bytesOf(planned))
    await this.#send(planned)
    progress.taken(project)
  }

  async #send(chunk: readonly EncodedDelivery[]): Promise<void> {
    try {
      await this.#deps.producer.send(chunk.flatMap(({ records }) => records))
    } catch (err) {
      if (!(err instanceof UnsendableError)) throw err
      // Deliveries that were already sent are sent again. A dispatcher drops a repeated step.
      for (const planned of chunk) await this.#sendAlone(planned)
    }
  }

  /**
   * A job that its topic never takes becomes a dead letter at once, like one whose body is too
   * large.
   */
  async #sendAlone({ delivery, records }: EncodedDelivery): Promise<void> {
    const { producer, log } = this.#deps
    try {
      await producer.send(records)
    } catch (err) {
      if (!(err instanceof UnsendableError) || delivery.tooLarge !== null) throw err
      const { deliveryId, eventId, subscriptionId } = delivery.job
      log.warn({ deliveryId, eventId, subscriptionId, reason: err.message }, 'delivery.unsendable')
      const refused = refusedDelivery(delivery, err.message)
      await producer.send(this.#recordsOf(refused))
      this.#count(refused)
    }
  }

  #recordsOf(
    { job, endpoint, tooLarge }: PlannedDelivery,
    headers?: RecordHeaders,
  ): OutgoingRecord[] {
    const { codec, topics } = this.#deps
    const topic = tooLarge === null ? topics.deliveries : topics.deadLetter
    const partition = partitionOf(endpoint, this.#batch.jobPartitions)
    const at = { key: endpoint, partition }
    const record: OutgoingRecord = { topic, ...at, value: codec.job.encode(job) }
    if (headers !== undefined) record.headers = headers
    if (tooLarge === null) return [record]
    const value = codec.attempt.encode(tooLarge)
    return [record, { topic: topics.attempts, ...at, value }]
  }

  #count({ tooLarge }: PlannedDelivery): void {
    const outcome = tooLarge === null ? 'produced' : 'too_large'
    this.#deps.metrics.deliveries.inc({ outcome })
  }
}

const bytesOf = (planned: readonly EncodedDelivery[]) =>
  planned.reduce((sum, { bytes }) => sum + bytes, 0)
