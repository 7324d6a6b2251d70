import { admin, expectStatus } from '@surehook/scripts/client/call'
import type { Tenant } from '@surehook/scripts/client/tenant'
import { eventually, type World } from '../../support/world.ts'
import { hostileWords, type Words } from './words.ts'

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

type SeedOptions = { orders?: number; words?: Words }

export async function seed(
  world: World,
  tenant: Tenant,
  { orders = 6, words = hostileWords }: SeedOptions = {},
): Promise<Seeded> {
  const { receiver } = world
  expectStatus(200, await tenant.rest('PUT _tables/orders', { columns }))
  receiver.answer('/shop/broken', () => ({ status: 503, body: words.answer }))
  const webhook = await tenant.subscribe(receiver.url('/shop/paid'), { filter: paid })
  const failing = await tenant.subscribe(receiver.url('/shop/broken'), {
    events: ['INSERT'],
    policy: { retryDelays: ['100ms', '200ms'] },
  })
  await tenant.subscribe(receiver.url(words.path), {
    select: ['customer', 'status'],
  })
  await tenant.subscribe(receiver.url('/shop/idle'), { table: 'invoices', active: false })
  const recordId = await sellOrder(tenant, words, 0)
  // Before the next failures open the circuit: paused deliveries get no attempt.
  const dead = await deliveryOf(tenant, failing.id, 'dead_letter')
  for (let n = 1; n < orders; n++) await sellOrder(tenant, words, n)
  const delivered = await deliveryOf(tenant, webhook.id, 'delivered')
  return {
    tenant,
    recordId,
    webhookId: webhook.id,
    deliveryId: delivered.id,
    eventId: delivered.eventId,
    failingId: failing.id,
    deadLetterId: dead.id,
    userId: await importUser(world, tenant, { email: 'ada@example.com', lastName: words.lastName }),
  }
}

async function sellOrder(tenant: Tenant, { customers, lines }: Words, n: number) {
  const customer = customers[n % customers.length]
  const { id } = await tenant.insert({ customer, total: `${12 + n}.50`, lines: lines(n) })
  expectStatus(200, await tenant.rest(`PATCH orders/${id}`, { status: 'paid' }))
  return id
}

/** bcrypt of a password that nobody needs. */
const passwordHash = '$2b$04$V/3C0RYZs524pJhZmP4z0.Ms4X2Eyku2pzo75weYVw9ByMOOYQUiO'

/** Makes a role and a user who has it. Answers the id of the user. */
export async function importUser(
  world: World,
  tenant: Tenant,
  { email, lastName = 'Lovelace' }: { email: string; lastName?: string },
): Promise<string> {
  const environment = `/${tenant.projectId}/environments/${tenant.environment}`
  const call = (request: string, body?: object) =>
    admin(world.system, request.replace(' ', ` ${environment}`), body)
  expectStatus(201, await call('POST /roles', { name: 'clerk' }))
  const user = { email, passwordHash, firstName: 'Ada', lastName, roles: ['clerk'] }
  expectStatus(200, await call('POST /users/import', { users: [user] }))
  const { body } = expectStatus(200, await call(`GET /users?email=${encodeURIComponent(email)}`))
  const [found] = (body as unknown as { users: { id: string }[] }).users
  if (found === undefined) throw new Error(`${email} was not imported`)
  return found.id
}

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
