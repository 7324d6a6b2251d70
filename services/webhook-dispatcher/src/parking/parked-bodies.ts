import type { DeliveryJob } from '@surehook/contracts/events'
import type { WindowedMessage } from '@surehook/service-kit/kafka/windowed-consumer'

export type ParkedDelivery = { job: DeliveryJob; message: WindowedMessage }

/** Bodies kept in memory ahead of their release, per partition. */
const maxKept = 1_024
const maxKeptBytes = 4 * 1024 * 1024
/** A subscription may have so many times what is left for others: one alone three quarters. */
const timesTheRest = 3

/** The parked jobs of one partition that were read for their release, a bounded number of them. */
export class ParkedBodies {
  readonly #byOffset = new Map<number, ParkedDelivery>()
  readonly #countOf = new Map<string, number>()
  #bytes = 0

  get isFull(): boolean {
    return this.#byOffset.size >= maxKept || this.#bytes >= maxKeptBytes
  }

  at(offset: number): ParkedDelivery | undefined {
    return this.#byOffset.get(offset)
  }

  /** @returns false when there is no room for it */
  keep(delivery: ParkedDelivery): boolean {
    const { job, message } = delivery
    if (this.#byOffset.has(message.offset)) return true
    const mine = this.#countOf.get(job.subscriptionId) ?? 0
    const rest = maxKept - this.#byOffset.size
    if (this.isFull || mine >= timesTheRest * rest) return false
    this.#byOffset.set(message.offset, delivery)
    this.#countOf.set(job.subscriptionId, mine + 1)
    this.#bytes += job.body.length
    return true
  }

  forget({ job, message }: ParkedDelivery): void {
    if (!this.#byOffset.delete(message.offset)) return
    const left = (this.#countOf.get(job.subscriptionId) ?? 1) - 1
    if (left === 0) this.#countOf.delete(job.subscriptionId)
    else this.#countOf.set(job.subscriptionId, left)
    this.#bytes -= job.body.length
  }

  forgetAllOf(subscriptionId: string): void {
    if (!this.#countOf.has(subscriptionId)) return
    for (const kept of [...this.#byOffset.values()]) {
      if (kept.job.subscriptionId === subscriptionId) this.forget(kept)
    }
  }

  clear(): void {
    this.#byOffset.clear()
    this.#countOf.clear()
    this.#bytes = 0
  }
}
