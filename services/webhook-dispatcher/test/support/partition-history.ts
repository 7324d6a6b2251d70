import type { CancellableStatus, DeliveryJob, DeliveryStatus } from '@surehook/contracts/events'
import type { Transition } from '../../src/transitions/transitions.ts'

type DeliveryRecord = { subscriptionId: string; status: DeliveryStatus; had: Set<DeliveryStatus> }

/** The statuses of a partition's deliveries, and what requests to cancel mean for them. */
export class PartitionHistory {
  readonly delivered = new Set<string>()
  readonly cancelled = new Set<string>()
  /**
   * Attempts of deliveries whose status `retrying` was cancelled, unless they were in flight.
   */
  readonly attemptedInVain: string[] = []
  readonly #all = new Map<string, DeliveryRecord>()
  /**
   * Deliveries that a request may have cancelled. A killed owner leaves copies with earlier
   * statuses.
   */
  readonly #met = new Set<string>()
  /** Deliveries that were certainly `retrying` when a request cancelled this status. */
  readonly #over = new Set<string>()

  /** Number of deliveries that were delivered or cancelled. */
  get ended(): number {
    return new Set([...this.delivered, ...this.cancelled]).size
  }

  /** Deliveries that were cancelled although no request named a status that they had. */
  get wronglyCancelled(): string[] {
    return [...this.cancelled].filter((id) => !this.#met.has(id))
  }

  hasEnded(deliveryId: string): boolean {
    return this.delivered.has(deliveryId) || this.cancelled.has(deliveryId)
  }

  enqueued({ deliveryId, subscriptionId }: DeliveryJob): void {
    this.#all.set(deliveryId, { subscriptionId, status: 'pending', had: new Set() })
  }

  attempted({ deliveryId, attempt }: DeliveryJob): void {
    if (this.#over.has(deliveryId)) this.attemptedInVain.push(`${deliveryId}/${attempt}`)
  }

  /** @param isInactive its deliveries are paused, although the history may not say so yet */
  askedToCancel(subscriptionId: string, status: CancellableStatus, isInactive: boolean): void {
    for (const [id, known] of this.#all) {
      if (known.subscriptionId !== subscriptionId) continue
      if (known.had.has(status) || (status === 'paused' && isInactive)) this.#met.add(id)
      if (known.status === status && status === 'retrying' && !isInactive) this.#over.add(id)
    }
  }

  made({ deliveryId }: DeliveryJob, to: Transition): void {
    const status = statusAfter(to)
    if (status === undefined) return
    if (status === 'delivered') this.delivered.add(deliveryId)
    if (status === 'cancelled') this.cancelled.add(deliveryId)
    const known = this.#all.get(deliveryId) as DeliveryRecord
    known.status = status
    known.had.add(status)
  }
}

/** Undefined: it stays as it was. */
function statusAfter(to: Transition): DeliveryStatus | undefined {
  if (to.kind === 'publish' || (to.kind === 'pause' && to.published)) return 'paused'
  if (to.kind === 'cancel') return 'cancelled'
  if (to.kind !== 'attempted') return undefined
  if (to.next.kind === 'cancelled') return 'cancelled'
  return to.next.kind === 'retry' ? 'retrying' : 'delivered'
}
