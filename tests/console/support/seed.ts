import { admin, expectStatus } from '@surehook/scripts/client/call'
import type { Tenant } from '@surehook/scripts/client/tenant'
import type { SystemAddress } from '../../support/open-system.ts'
import { eventually, type World } from '../../support/world.ts'
import { hostile } from './hostile.ts'

/** An environment with something on every page. */
export type Seeded = {
  tenant: Tenant
  recordId: string
  /** Delivers the paid orders. */
  webhookId: string
  deliveryId: string
  eventId: string
  /** Its receiver fails. */
  failingId: string
  deadLetterId: string
  userId: string
}

const columns = [
  { name: 'customer', type: 'text', required: true },
  { name: 'status', type: 'text', default: 'new' },
  { name: 'total', type: 'decimal' },
  { name: 'lines', type: 'json' },
]

const paid = { status: 'paid', total: { gte: 10 } }

export async function seed(
  world: World<SystemAddress>,
  tenant: Tenant,
  orders = 6,
): Promise<Seeded> {
  const { receiver } = world
  expectStatus(200, await tenant.rest('PUT _tables/orders', { columns }))
  receiver.answer('/shop/broken', () => ({ status: 503, body: hostile.join('\n') }))
  const webhook = await tenant.subscribe(receiver.url('/shop/paid'), { filter: paid })
  const failing = await tenant.subscribe(receiver.url('/shop/broken'), {
    events: ['INSERT'],
    policy: { retryDelays: ['100ms', '200ms'] },
  })
  await tenant.subscribe(receiver.url(`/shop/all?q=${encodeURIComponent(hostile[1])}`), {
    select: ['customer', 'status'],
  })
  await tenant.subscribe(receiver.url('/shop/idle'), { table: 'invoices', active: false })
  const recordId = await sellOrder(tenant, 0)
  // Before the next failures open the circuit: paused deliveries get no attempt.
  const dead = await deliveryOf(tenant, failing.id, 'dead_letter')
  for (let n = 1; n < orders; n++) await sellOrder(tenant, n)
  const delivered = await deliveryOf(tenant, webhook.id, 'delivered')
  return {
    tenant,
    recordId,
    webhookId: webhook.id,
    deliveryId: delivered.id,
    eventId: delivered.eventId,
    failingId: failing.id,
    deadLetterId: dead.id,
    userId: await importUser(world, tenant, 'ada@example.com'),
  }
}

async function sellOrder(tenant: Tenant, n: number): Promise<string> {
  const order = { customer: customers[n % customers.length], total: `${12 + n}.50` }
  const lines = { [hostile[2]]: hostile, sku: `A-${n}` }
  const { id } = await tenant.insert({ ...order, lines })
  expectStatus(200, await tenant.rest(`PATCH orders/${id}`, { status: 'paid' }))
  return id
}

/** bcrypt of a password that nobody needs. */
const passwordHash = '$2b$04$V/3C0RYZs524pJhZmP4z0.Ms4X2Eyku2pzo75weYVw9ByMOOYQUiO'

/** Makes a role and a user who has it. Answers the id of the user. */
export async function importUser(
  world: World<SystemAddress>,
  tenant: Tenant,
  email: string,
): Promise<string> {
  const environment = `/${tenant.projectId}/environments/${tenant.environment}`
  const call = (request: string, body?: object) =>
    admin(world.system, request.replace(' ', ` ${environment}`), body)
  expectStatus(201, await call('POST /roles', { name: 'clerk' }))
  const user = { email, passwordHash, firstName: 'Ada', lastName: hostile[0], roles: ['clerk'] }
  expectStatus(200, await call('POST /users/import', { users: [user] }))
  const { body } = expectStatus(200, await call(`GET /users?email=${encodeURIComponent(email)}`))
  const [found] = (body as unknown as { users: { id: string }[] }).users
  if (found === undefined) throw new Error(`${email} was not imported`)
  return found.id
}

const customers = ['Ada Lovelace', 'Grace Hopper', hostile[0], 'Katherine Johnson']

async function deliveryOf(tenant: Tenant, webhookId: string, status: string) {
  const deliveries = await eventually(
    () => tenant.deliveries(webhookId),
    (all) => all.some((one) => one.status === status),
    20_000,
  )
  const found = deliveries.find((one) => one.status === status)
  if (found === undefined) throw new Error(`no delivery is ${status}`)
  return found
}
