import type { EndpointPlace } from '@surehook/contracts/ids'
import type { AttemptResult } from '../transitions/decide-next-attempt.ts'
import { endOf } from '../transitions/decide-next-attempt.ts'
import { Circuit, type CircuitOptions } from './circuit.ts'

export type EndpointCircuitsOptions = {
  circuit: CircuitOptions
  /** @param subscriptionId null: the circuit that all subscriptions share */
  onChange: (open: boolean, subscriptionId: string | null) => void
  /** False once the endpoint belongs to another partition. */
  isOwned: () => boolean
}

export type CountedAttempt = {
  result: AttemptResult
  subscriptionId: string
  /** The endpoint's address; null for a delivery about deliveries. */
  place: EndpointPlace | null
}

/**
 * The circuits of one endpoint. A failure of the receiver counts for all its subscriptions. A
 * refusal counts only for the subscription whose delivery was refused: a wrong secret of one must
 * not hold up another. A receiver that is broken and refuses everything opens the circuit of each.
 */
export class EndpointCircuits {
  readonly receiver: Circuit
  readonly #endpointId: string
  readonly #options: EndpointCircuitsOptions
  /** By subscription, the circuits that are open or have counted a refusal. */
  readonly #own = new Map<string, Circuit>()
  #isDisposed = false

  constructor(endpointId: string, options: EndpointCircuitsOptions) {
    this.#endpointId = endpointId
    this.#options = options
    this.receiver = this.#create(null)
  }

  /** True if a circuit is open that this partition owns. */
  get isAnyOpen(): boolean {
    if (!this.#options.isOwned()) return false
    return this.receiver.isOpen || this.#own.values().some(({ isOpen }) => isOpen)
  }

  /** True if nothing is lost when the circuits are dropped. */
  get isQuiet(): boolean {
    return this.receiver.isQuiet && this.#own.values().every(({ isQuiet }) => isQuiet)
  }

  isOpenFor(subscriptionId: string): boolean {
    return this.receiver.isOpen || (this.#own.get(subscriptionId)?.isOpen ?? false)
  }

  /** Since when no attempt of the subscription starts, epoch ms; Infinity if attempts start. */
  openSince(subscriptionId: string): number {
    const own = this.#own.get(subscriptionId)?.openSince ?? Number.POSITIVE_INFINITY
    return Math.min(this.receiver.openSince, own)
  }

  /** Loads the subscription's own circuit, which an earlier owner of the endpoint stored. */
  async restore(subscriptionId: string): Promise<void> {
    if (this.#isDisposed || this.#own.has(subscriptionId)) return
    const circuit = this.#create(subscriptionId)
    this.#own.set(subscriptionId, circuit)
    await circuit.restore()
    if (circuit.isQuiet) this.#forget(subscriptionId)
  }

  /** Counts a result. It takes effect at once, and is stored before this resolves. */
  async record({ result, subscriptionId, place }: CountedAttempt): Promise<void> {
    // The endpoint may have a new owner, whose counts must stay.
    if (this.#isDisposed) return
    const end = endOf(result)
    const known = this.#own.get(subscriptionId)
    const own = known ?? (end === 'refused' ? this.#countFor(subscriptionId) : undefined)
    const shared = end === 'refused' ? undefined : this.receiver.record(result, place)
    const counted = this.receiver.isOpen ? undefined : own?.record(result, place)
    if (end === 'succeeded' && own?.isQuiet) this.#forget(subscriptionId)
    await Promise.all([shared, counted])
  }

  /** Closes all circuits before their cooldowns end. */
  async closeByRequest(): Promise<void> {
    for (const own of this.#own.values()) own.closeByRequest()
    if (this.receiver.isOpen) this.receiver.closeByRequest()
    else await this.#options.circuit.store.reset(this.#endpointId)
  }

  /**
   * Closes the circuit of a subscription that has left, and that of the receiver if it was the last
   * one. Their ends are published now: after the cooldown, the names of project and environment may
   * be in use again.
   */
  left(subscriptionId: string, isUsed: () => boolean): void {
    this.#own.get(subscriptionId)?.closeByRequest()
    if (this.receiver.isOpen && !isUsed()) this.receiver.closeByRequest()
  }

  dispose(): void {
    this.#isDisposed = true
    this.receiver.dispose()
    for (const own of this.#own.values()) own.dispose()
  }

  #countFor(subscriptionId: string): Circuit {
    const own = this.#create(subscriptionId)
    // Failures of the receiver before the first refusal are consecutive with it.
    own.countFrom(this.receiver.failures)
    this.#own.set(subscriptionId, own)
    return own
  }

  #forget(subscriptionId: string): void {
    this.#own.get(subscriptionId)?.dispose()
    this.#own.delete(subscriptionId)
  }

  #create(subscriptionId: string | null): Circuit {
    const { circuit, onChange, isOwned } = this.#options
    const identity = { endpointId: this.#endpointId, webhookId: subscriptionId }
    return new Circuit(identity, circuit, (open) => onChange(open, subscriptionId), isOwned)
  }
}
