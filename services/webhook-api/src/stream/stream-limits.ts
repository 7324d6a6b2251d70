import { AppError } from '@surehook/service-kit/errors'
import { FairSlots } from '@surehook/service-kit/slots/fair-slots'
import type { Tenant } from '../tenants/tenant.ts'
import { tenantKeyOf } from './log/logged-entry.ts'
import type { SharedSlots } from './shared-slots.ts'

export type StreamLimitsOptions = {
  /**
   * The most streams and pages of one tenant on this replica, and on all together: so many of its
   * management tokens, and so many of its users.
   */
  perTenant: number
  /** The most of one user, in the same way. */
  perUser: number
  shared: Pick<SharedSlots, 'take'>
  /** The most streams and pages of all tenants on this replica. */
  perReplica: number
  onRefused: (by: RefusedBy) => void
}

export const refusedBy = ['tenant', 'user', 'replica'] as const
type RefusedBy = (typeof refusedBy)[number]

/** A stream or page may be open until it is disposed. */
export type StreamSlot = Disposable & {
  /** Aborts if the stream must end for one of a project with fewer streams. */
  crowdedOut: AbortSignal
}

const whose = { tenant: 'The environment has', user: 'You have', replica: 'This replica has' }

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
  readonly #ofUsers: FairSlots
  /** The streams of each project that are not to end, the oldest first. */
  readonly #open = new Map<string, Set<AbortController>>()

  constructor(options: StreamLimitsOptions) {
    const { perReplica, perTenant, perUser } = options
    this.#options = options
    this.#ofUsers = new FairSlots({ room: { each: perUser } })
    this.#slots = new FairSlots({
      room: { all: perReplica, each: perTenant },
      maxWaitMs: endsWithinMs,
      refusal: () => this.#refusal('replica'),
    })
  }

  get open(): number {
    return this.#slots.taken
  }

  /**
   * Rejects with RATE_LIMIT_EXCEEDED if no slot is free.
   * @param user the id of the user; `null` for a management token
   */
  async take(tenant: Tenant, user: string | null): Promise<StreamSlot> {
    using taking = new DisposableStack()
    const { shared, perTenant } = this.#options
    const tenantKey = tenantKeyOf(tenant)
    if (user !== null) await this.#takeOfUser(`${tenantKey}/users/${user}`, taking)
    // Users cannot take the slots of management tokens.
    const owner = user === null ? tenantKey : `${tenantKey}/users`
    taking.use(await this.#takeHere(owner, tenant))
    const slot = await shared.take(owner, perTenant)
    if (slot === null) throw this.#refusal('tenant')
    taking.use(slot)
    const end = new AbortController()
    taking.use(this.#add(tenant, end))
    const held = taking.move()
    return { crowdedOut: end.signal, [Symbol.dispose]: () => held.dispose() }
  }

  async #takeOfUser(user: string, taking: DisposableStack): Promise<void> {
    const here = this.#ofUsers.tryTake(user)
    if (here === null) throw this.#refusal('user')
    taking.use(here)
    const slot = await this.#options.shared.take(user, this.#options.perUser)
    if (slot === null) throw this.#refusal('user')
    taking.use(slot)
  }

  async #takeHere(owner: string, tenant: Tenant): Promise<Disposable> {
    const slot = this.#slots.tryTake(owner)
    if (slot !== null) return slot
    if (this.#slots.isAtLimit(owner)) throw this.#refusal('tenant')
    if (!this.#endOneFor(tenant)) throw this.#refusal('replica')
    return this.#slots.take(owner)
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

  #refusal(by: RefusedBy): AppError {
    this.#options.onRefused(by)
    return new AppError('RATE_LIMIT_EXCEEDED', `${whose[by]} too many open streams`, {
      retryAfterS,
    })
  }
}
