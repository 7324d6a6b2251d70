import { admin, expectStatus, send } from '@surehook/scripts/client/call'
import type { Tenant } from '@surehook/scripts/client/tenant'
import type { SystemAddress } from '../../support/system-address.ts'
import { eventually, type World } from '../../support/world.ts'
import { hostileWords, type Words } from './words.ts'

/** An environment with something on every page. */
export type SeededProject = {
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
  /** Its receiver fails, and its next attempts are hours away. */
  lateId: string
  plannedId: string
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
  world: World<SystemAddress>,
  tenant: Tenant,
  { orders = 6, words = hostileWords }: SeedOptions = {},
): Promise<SeededProject> {
  const { receiver } = world
  expectStatus(200, await tenant.rest('PUT _tables/orders', { columns }))
  receiver.answer('/shop/broken', () => ({ status: 503, body: words.answer }))
  const named = (n: number) => ({
    name: words.names[n % words.names.length],
    description: words.description,
  })
  const webhook = await tenant.subscribe(receiver.url('/shop/paid'), { filter: paid, ...named(0) })
  const failing = await tenant.subscribe(receiver.url('/shop/broken'), {
    ...{ events: ['INSERT'], ...named(1) },
    policy: { retryDelays: ['100ms', '200ms'] },
  })
  receiver.answer('/shop/late', () => ({ status: 503 }))
  const late = await tenant.subscribe(receiver.url('/shop/late'), {
    ...{ events: ['INSERT'], filter: { total: '12.50' }, ...named(2) },
    policy: { retryDelays: ['30m', '2h', '8h'] },
  })
  await tenant.subscribe(receiver.url(words.path), {
    ...{ select: ['customer', 'status'], ...named(3) },
  })
  const nowhere = 'postgresql://surehook:secret@127.0.0.1:1/shop?sslmode=disable'
  expectStatus(200, await tenant.rest('PUT _sources/shop', { url: nowhere }))
  await tenant.subscribe(receiver.url('/shop/idle'), { table: 'invoices', active: false })
  const recordId = await sellOrder(tenant, words, 0)
  // Before the next failures open the circuit: paused deliveries get no attempt.
  const dead = await deliveryOf(tenant, failing.id, 'dead_letter')
  for (let n = 1; n < orders; n++) await sellOrder(tenant, words, n)
  const delivered = await deliveryOf(tenant, webhook.id, 'delivered')
  const planned = await deliveryOf(tenant, late.id, 'retrying')
  expectStatus(200, await tenant.webhooks(`PATCH /${webhook.id}`, { secret: 'another-secret' }))
  const userId = await importUser(world, tenant, {
    email: 'ada@example.com',
    lastName: words.lastName,
  })
  await lockUser(world, tenant, 'ada@example.com')
  return {
    tenant,
    recordId,
    webhookId: webhook.id,
    deliveryId: delivered.id,
    eventId: delivered.eventId,
    failingId: failing.id,
    deadLetterId: dead.id,
    userId,
    lateId: late.id,
    plannedId: planned.id,
  }
}

async function sellOrder(tenant: Tenant, { customers, lines }: Words, n: number) {
  const customer = customers[n % customers.length]
  const { id } = await tenant.insert({ customer, total: `${12 + n}.50`, lines: lines(n) })
  expectStatus(200, await tenant.rest(`PATCH orders/${id}`, { status: 'paid' }))
  return id
}

export const userPassword = 'correct horse 7 battery'
/** bcrypt of it. */
const passwordHash = '$2b$04$jiHGrzM3Y.aW.alNNiYLE.8.NDUsWpmP4.B2W7sxwArI5Yf4qkjW6'

/** Makes a role and a user who has it. Answers the id of the user. */
export async function importUser(
  world: World<SystemAddress>,
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

/** Tries to log in as the user. */
export const logIn = (
  { system }: World<SystemAddress>,
  { projectId, environment }: Tenant,
  body: { email: string; password: string },
) =>
  send(system.baseUrl, 'POST /auth/login', {
    headers: { 'x-project-id': projectId, environment },
    body,
  })

/** The user has two sessions, and failed too often since. */
export async function lockUser(
  world: World<SystemAddress>,
  tenant: Tenant,
  email: string,
): Promise<void> {
  for (let n = 0; n < 2; n++) {
    expectStatus(200, await logIn(world, tenant, { email, password: userPassword }))
  }
  for (let n = 0; n < 5; n++) await logIn(world, tenant, { email, password: 'wrong' })
}

async function deliveryOf(tenant: Tenant, webhookId: string, status: string) {
  const deliveries = await eventually(
    () => tenant.deliveries(webhookId),
    (all) => all.some((one) => one.status === status),
  )
  const found = deliveries.find((one) => one.status === status)
  if (found === undefined) throw new Error(`no delivery is ${status}`)
  return found
}
