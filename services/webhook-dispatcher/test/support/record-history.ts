import type { DeliveryJob } from '@surehook/contracts/events'

/** Whether the deliveries of each record kept their order. */
export class RecordHistory {
  /** Attempts that began while an earlier delivery of the record had neither arrived nor ended. */
  readonly overtaken: string[] = []
  readonly #ofRecord = new Map<string, string[]>()
  readonly #over = new Set<string>()

  enqueued(job: DeliveryJob): void {
    const known = this.#ofRecord.get(recordOf(job))
    if (known === undefined) this.#ofRecord.set(recordOf(job), [job.deliveryId])
    else known.push(job.deliveryId)
  }

  /** The delivery arrived, or no further attempt of it starts. */
  over({ deliveryId }: DeliveryJob): void {
    this.#over.add(deliveryId)
  }

  attempted(job: DeliveryJob): void {
    const all = this.#ofRecord.get(recordOf(job)) ?? []
    const earlier = all.slice(0, all.indexOf(job.deliveryId))
    const open = earlier.find((id) => !this.#over.has(id))
    if (open !== undefined) this.overtaken.push(`${job.deliveryId} overtook ${open}`)
  }
}

const recordOf = ({ subscriptionId, recordId }: DeliveryJob) => `${subscriptionId}/${recordId}`
