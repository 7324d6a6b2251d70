import { randomUUID } from 'node:crypto'
import type { EventPayload } from '@surehook/contracts/event-payload'
import type { Delivery } from '@surehook/contracts/http/webhooks/webhooks'
import type { Tenant, TenantOptions } from '@surehook/scripts/client/tenant'
import type { Behaviour, Receipt, Receiver } from '@surehook/scripts/receiver/receiver'
import type { TestSystemOptions } from './open-system.ts'
import { eventually, openWorld, payloadOf, type World } from './world.ts'

export type ListeningWorld = Omit<World, 'tenant'> & {
  /** A project of its own with an environment, a token and the table `orders`. */
  tenant(options?: TenantOptions): Promise<Tenant>
  /** A place at the receiver with a subscription to it, by default to every event of `orders`. */
  listen(tenant: Tenant, fields?: object, behaviour?: Behaviour): Promise<Listener>
}

/** A world whose tenants have a table, and whose receiver has a place for each subscription. */
export async function openListeningWorld(options?: TestSystemOptions): Promise<ListeningWorld> {
  const world = await openWorld(options)
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

/** One subscription, the place it delivers to, and what came there. */
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

  /** In the order of the changes, as a receiver puts them: several may be under way at once. */
  get payloads(): EventPayload[] {
    return this.receipts
      .map(payloadOf)
      .toSorted((a, b) => Date.parse(a.timestamp) - Date.parse(b.timestamp))
  }

  /** What has come, once it is at least `count`. */
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

  /** The delivery log, newest first, once it is as `wanted`. */
  log(wanted: (all: Delivery[]) => boolean, withinMs?: number): Promise<Delivery[]> {
    return eventually(() => this.#tenant.deliveries(this.id), wanted, withinMs)
  }
}
