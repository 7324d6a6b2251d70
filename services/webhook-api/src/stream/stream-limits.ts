import { AppError } from '@surehook/service-kit/errors'
import type { SharedPlaces } from './shared-places.ts'

export type StreamLimitsOptions = {
  /** The most streams and pages of one tenant on this replica, and on all together. */
  perTenant: number
  shared: Pick<SharedPlaces, 'enter'>
  /** The most streams and pages of all tenants on this replica. */
  perReplica: number
  onRefused: (by: 'tenant' | 'replica') => void
}

/** A client that reconnects frees its old place within this time. */
const retryAfterS = 5

/** Counts the open streams and pages of each tenant, and of all. */
export class StreamLimits {
  readonly #options: StreamLimitsOptions
  readonly #byTenant = new Map<string, number>()
  #open = 0

  constructor(options: StreamLimitsOptions) {
    this.#options = options
  }

  get open(): number {
    return this.#open
  }

  /**
   * Takes a place, which disposing gives back. Rejects with RATE_LIMIT_EXCEEDED if all are taken.
   */
  async enter(tenantKey: string): Promise<Disposable> {
    using entering = new DisposableStack()
    entering.use(this.#enterHere(tenantKey))
    const place = await this.#options.shared.enter(tenantKey)
    if (place === null) throw this.#refusal('tenant')
    entering.use(place)
    return entering.move()
  }

  #enterHere(tenantKey: string): Disposable {
    const { perTenant, perReplica } = this.#options
    const ofTenant = this.#byTenant.get(tenantKey) ?? 0
    if (ofTenant >= perTenant) throw this.#refusal('tenant')
    if (this.#open >= perReplica) throw this.#refusal('replica')
    this.#byTenant.set(tenantKey, ofTenant + 1)
    this.#open += 1
    let held = true
    return {
      [Symbol.dispose]: () => {
        if (!held) return
        held = false
        this.#leave(tenantKey)
      },
    }
  }

  #leave(tenantKey: string): void {
    const left = (this.#byTenant.get(tenantKey) ?? 1) - 1
    if (left === 0) this.#byTenant.delete(tenantKey)
    else this.#byTenant.set(tenantKey, left)
    this.#open -= 1
  }

  #refusal(by: 'tenant' | 'replica'): AppError {
    this.#options.onRefused(by)
    const whose = by === 'tenant' ? 'The environment has' : 'This replica has'
    return new AppError('RATE_LIMIT_EXCEEDED', `${whose} too many open streams`, { retryAfterS })
  }
}
