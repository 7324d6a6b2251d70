import { AppError } from '@surehook/service-kit/errors'
import { FairSlots } from '@surehook/service-kit/slots/fair-slots'
import type { Tenant } from '../tenants/tenant.ts'
import { tenantKeyOf } from './log/logged-entry.ts'
import type { SharedSlots } from './shared-slots.ts'

export type StreamLimitsOptions = {
  /** The most streams and pages of one tenant on this replica, and on all together. */
  perTenant: number
  shared: Pick<SharedSlots, 'take'>
  /** The most streams and pages of all tenants on this replica. */
  perReplica: number
  onRefused: (by: 'tenant' | 'replica') => void
}

/** A stream or page may be open until it is disposed. */
export type StreamSlot = Disposable & {
  /** Aborts if the stream must end for one of a project with fewer streams. */
  crowdedOut: AbortSignal
}

/** A client that reconnects frees its old slot within this time. */
const retryAfterS = 5
/** A stream that must end has ended after this time. */
const endsWithinMs = 2_000

/**
 * Counts the open streams and pages of each tenant, and of all. On a full replica, the newest
 * stream of the project with the most streams ends for a project that has fewer, also with its new
 * one.
 */
export class StreamLimits {
  readonly #options: StreamLimitsOptions
  readonly #slots: FairSlots
  /** The streams of each project that are not to end, the oldest first. */
  readonly #open = new Map<string, Set<AbortController>>()

  constructor(options: StreamLimitsOptions) {
    const { perReplica, perTenant } = options
    this.#options = options
    this.#slots = new FairSlots({
      room: { all: perReplica, each: perTenant },
      maxWaitMs: endsWithinMs,
      refusal: () => this.#refusal('replica'),
    })
  }

  get open(): number {
    return this.#slots.taken
  }

  /** Rejects with RATE_LIMIT_EXCEEDED if no slot is free. */
  async take(tenant: Tenant): Promise<StreamSlot> {
    using taking = new DisposableStack()
    const tenantKey = tenantKeyOf(tenant)
    taking.use(await this.#takeHere(tenantKey, tenant))
    const shared = await this.#options.shared.take(tenantKey)
    if (shared === null) throw this.#refusal('tenant')
    taking.use(shared)
    const end = new AbortController()
    taking.use(this.#add(tenant, end))
    const held = taking.move()
    return { crowdedOut: end.signal, [Symbol.dispose]: () => held.dispose() }
  }

  async #takeHere(tenantKey: string, tenant: Tenant): Promise<Disposable> {
    const slot = this.#slots.tryTake(tenantKey)
    if (slot !== null) return slot
    if (this.#slots.isAtLimit(tenantKey)) throw this.#refusal('tenant')
    if (!this.#endOneFor(tenant)) throw this.#refusal('replica')
    return this.#slots.take(tenantKey)
  }

  #add({ projectId }: Tenant, end: AbortController): Disposable {
    const open = this.#open.get(projectId) ?? new Set()
    this.#open.set(projectId, open.add(end))
    return { [Symbol.dispose]: () => this.#remove(projectId, end) }
  }

  #remove(projectId: string, end: AbortController): void {
    const open = this.#open.get(projectId)
    if (open?.delete(end) === true && open.size === 0) this.#open.delete(projectId)
  }

  /** Returns false if no project would keep at least as many streams as the tenant's then has. */
  #endOneFor({ projectId }: Tenant): boolean {
    const own = this.#open.get(projectId)?.size ?? 0
    const [largest] = [...this.#open].toSorted(([, a], [, b]) => b.size - a.size)
    const newest = [...(largest?.[1] ?? [])].at(-1)
    if (largest === undefined || newest === undefined || largest[1].size <= own + 1) return false
    this.#remove(largest[0], newest)
    newest.abort()
    return true
  }

  #refusal(by: 'tenant' | 'replica'): AppError {
    this.#options.onRefused(by)
    const whose = by === 'tenant' ? 'The environment has' : 'This replica has'
    return new AppError('RATE_LIMIT_EXCEEDED', `${whose} too many open streams`, { retryAfterS })
  }
}
