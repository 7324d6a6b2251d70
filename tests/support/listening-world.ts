import { randomUUID } from 'node:crypto'
import type { EventPayload } from '@surehook/contracts/events/event-payload'
import type { Delivery } from '@surehook/contracts/http/webhooks/webhooks'
import type { Tenant, TenantOptions } from '@surehook/scripts/client/tenant'
import type { Behaviour, Receipt, Receiver } from '@surehook/scripts/receiver/receiver'
import type { TestSystem, TestSystemOptions } from './open-system.ts'
import type { SystemAddress } from './system-address.ts'
import { eventually, openWorld, payloadOf, type World } from './world.ts'

export type ListeningWorld<System extends SystemAddress = TestSystem> = Omit<
  World<System>,
  'tenant'
> & {
  /** Creates a project with an environment, a token and the table `orders`. */
  tenant(options?: TenantOptions): Promise<Tenant>
  /**
   * Creates a path at the receiver and a subscription to it, by default for every event of
   * `orders`.
   */
  listen(tenant: Tenant, fields?: object, behaviour?: Behaviour): Promise<Listener>
}

/**
 * Opens a world whose tenants have a table, and whose receiver has a path per subscription.
 * @param open `openWorldWithStack` for a separate stack
 */
export async function openListeningWorld(
  options: TestSystemOptions = {},
  open: (options: TestSystemOptions) => Promise<World> = openWorld,
): Promise<ListeningWorld> {
  return listeningWorldOf(await open(options))
}

export function listeningWorldOf<System extends SystemAddress>(
  world: World<System>,
): ListeningWorld<System> {
  const { receiver } = world
  return {
    ...world,
    async tenant(tenantOptions) {
      const tenant = await world.tenant(tenantOptions)
      await tenant.putTable('orders')
      return tenant
    },
    async listen(tenant, fields, behaviour) {
      const path = newPath()
      if (behaviour !== undefined) receiver.answer(path, behaviour)
      const { id } = await tenant.subscribe(receiver.url(path), fields)
      return new Listener({ receiver, tenant, path, id })
    },
  }
}

export const newPath = () => `/${randomUUID()}`

/** A subscription, its path at the receiver, and the requests there. */
export class Listener {
  readonly id: string
  readonly path: string
  readonly #receiver: Receiver
  readonly #tenant: Tenant

  constructor(of: { receiver: Receiver; tenant: Tenant; path: string; id: string }) {
    this.id = of.id
    this.path = of.path
    this.#receiver = of.receiver
    this.#tenant = of.tenant
  }

  get receipts(): readonly Receipt[] {
    return this.#receiver.receipts(this.path)
  }

  /**
   * In the order of the changes, as a receiver sorts them, because several may be in flight at
   * once.
   */
  get payloads(): EventPayload[] {
    return this.receipts
      .map(payloadOf)
      .toSorted((a, b) => Date.parse(a.timestamp) - Date.parse(b.timestamp))
  }

  /** Resolves with the payloads once there are at least `count`. */
  async arrived(count: number, withinMs?: number): Promise<EventPayload[]> {
    await this.#receiver.waitFor(this.path, count, withinMs)
    return this.payloads
  }

  async firstReceipt(): Promise<Receipt> {
    const [first] = await this.#receiver.waitFor(this.path, 1)
    if (first === undefined) throw new Error('nothing came')
    return first
  }

  answer(behaviour: Behaviour): void {
    this.#receiver.answer(this.path, behaviour)
  }

  /** Resolves with the delivery log, newest first, once `wanted` accepts it. */
  log(wanted: (all: Delivery[]) => boolean, withinMs?: number): Promise<Delivery[]> {
    return eventually(() => this.#tenant.deliveries(this.id), wanted, withinMs)
  }
}
