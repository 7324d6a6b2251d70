import { AppError } from '@surehook/service-kit/errors'
import { FairSlots } from '@surehook/service-kit/slots/fair-slots'
import type { SharedSlots } from './shared-slots.ts'

export type StreamLimitsOptions = {
  /** The most streams and pages of one tenant on this replica, and on all together. */
  perTenant: number
  shared: Pick<SharedSlots, 'take'>
  /** The most streams and pages of all tenants on this replica. */
  perReplica: number
  onRefused: (by: 'tenant' | 'replica') => void
}

/** A client that reconnects frees its old slot within this time. */
const retryAfterS = 5

/** Counts the open streams and pages of each tenant, and of all. */
export class StreamLimits {
  readonly #options: StreamLimitsOptions
  readonly #slots: FairSlots

  constructor(options: StreamLimitsOptions) {
    const { perReplica, perTenant } = options
    this.#options = options
    this.#slots = new FairSlots({ room: { all: perReplica, each: perTenant } })
  }

  get open(): number {
    return this.#slots.taken
  }

  /** Rejects with RATE_LIMIT_EXCEEDED if no slot is free. */
  async take(tenantKey: string): Promise<Disposable> {
    using taking = new DisposableStack()
    taking.use(this.#takeHere(tenantKey))
    const shared = await this.#options.shared.take(tenantKey)
    if (shared === null) throw this.#refusal('tenant')
    taking.use(shared)
    return taking.move()
  }

  #takeHere(tenantKey: string): Disposable {
    const slot = this.#slots.tryTake(tenantKey)
    if (slot !== null) return slot
    throw this.#refusal(this.#slots.isAtLimit(tenantKey) ? 'tenant' : 'replica')
  }

  #refusal(by: 'tenant' | 'replica'): AppError {
    this.#options.onRefused(by)
    const whose = by === 'tenant' ? 'The environment has' : 'This replica has'
    return new AppError('RATE_LIMIT_EXCEEDED', `${whose} too many open streams`, { retryAfterS })
  }
}
