import { randomUUID } from 'node:crypto'
import type { Replay } from '@surehook/contracts/http/webhooks/log'
import type { Delivery } from '@surehook/contracts/http/webhooks/webhooks'
import { admin, expectStatus, send } from '@surehook/scripts/client/call'
import type { Tenant } from '@surehook/scripts/client/tenant'
import type { SystemAddress } from '../system-address.ts'
import { eventually, type World } from '../world.ts'

/** Everything that the owner of an environment may remember of it after its deletion. */
export type Remembered = {
  /** A text that is in all that the owner made. */
  mark: string
  recordIds: string[]
  webhookIds: string[]
  endpointIds: string[]
  deliveryIds: string[]
  eventIds: string[]
  replayIds: string[]
  userIds: string[]
  sessionIds: string[]
  accessToken: string
  refreshToken: string
  /** The cursors of lists. */
  cursors: string[]
  streamCursor: string
}

export const idempotencyKey = 'the-key-of-two-owners'
export const password = 'correct horse battery'

type Parts = { world: World<SystemAddress>; tenant: Tenant; mark: string }

/** Fills an environment with `mark`, and uses every capability of the platform. */
export async function furnish(parts: Parts): Promise<Remembered> {
  const { tenant, mark } = parts
  const { userId, sessionId, accessToken, refreshToken } = await addUser(parts)
  await tenant.putTable('orders')
  await tenant.putTable(`t_${mark}`, { [`c_${mark}`]: 'text' })
  await addSource(tenant, mark)
  const { webhookIds, fails } = await subscribeAll(parts)
  const recordIds = await writeAll(parts)
  const failed = await eventually(
    () => tenant.deliveries(fails),
    (all) => all.some(({ status }) => status === 'dead_letter'),
  )
  const replayIds = await replayTo(tenant, webhookIds[0] ?? '')
  const deliveries = await Promise.all(webhookIds.map((id) => tenant.deliveries(id)))
  const all: Delivery[] = [...failed, ...deliveries.flat()]
  return {
    ...{ mark, recordIds, webhookIds, replayIds, accessToken, refreshToken },
    endpointIds: await idsOf(tenant, 'GET _endpoints', 'endpoints'),
    deliveryIds: all.slice(0, 4).map(({ id }) => id),
    eventIds: [...new Set(all.map(({ eventId }) => eventId))].slice(0, 4),
    userIds: [userId],
    sessionIds: [sessionId],
    cursors: await listCursors(tenant),
    streamCursor: await cursorOfStream(tenant),
  }
}

/** A source at a name that never resolves (RFC 6761 §6.4). */
async function addSource(tenant: Tenant, mark: string): Promise<void> {
  const url = `postgresql://${mark}:${mark}@db.invalid/${mark}`
  expectStatus(200, await tenant.rest(`PUT _sources/s_${mark}`, { url }))
  const table = { source: `s_${mark}`, relation: `public.${mark}` }
  expectStatus(200, await tenant.rest(`PUT _tables/f_${mark}`, table))
}

async function addUser({ world, tenant, mark }: Parts) {
  const { projectId, environment } = tenant
  const { baseUrl } = world.system
  const path = `/${projectId}/environments/${environment}`
  expectStatus(
    200,
    await admin(world.system, `PUT ${path}`, { auth: { emailVerification: false } }),
  )
  expectStatus(201, await admin(world.system, `POST ${path}/roles`, { name: `r_${mark}` }))
  const headers = { 'x-project-id': projectId, environment }
  const names = { firstName: mark, lastName: mark }
  const body = { email: `${mark}@example.com`, password, ...names }
  expectStatus(201, await send(baseUrl, 'POST /auth/signup', { headers, body }))
  // An account that fails to log in has a count of its failures.
  await send(baseUrl, 'POST /auth/login', { headers, body: { ...body, password: 'wrong' } })
  const { email } = body
  const login = await send<{ accessToken: string; refreshToken: string }>(
    baseUrl,
    'POST /auth/login',
    { headers, body: { email, password } },
  )
  const { accessToken, refreshToken } = expectStatus(200, login).body
  const claims = JSON.parse(
    Buffer.from(accessToken.split('.')[1] ?? '', 'base64url').toString(),
  ) as { sub: string; sid?: string }
  return { userId: claims.sub, sessionId: claims.sid ?? '', accessToken, refreshToken }
}

async function subscribeAll({ world, tenant, mark }: Parts) {
  const { receiver } = world
  const own = { secret: `secret-${mark}`, policy: { headers: { 'x-owner': mark } } }
  const url = (path: string) => receiver.url(`/${mark}/${path}`)
  receiver.answer(`/${mark}/fails`, () => ({ status: 503, body: mark }))
  receiver.answer(`/${mark}/waits`, () => 'hang')
  const takes = await tenant.subscribe(url('takes'), { ...own, name: `n-${mark}` })
  const fails = await tenant.subscribe(url('fails'), own)
  const waits = await tenant.subscribe(url('waits'), own)
  const sleeps = await tenant.subscribe(url('sleeps'), own)
  await tenant.subscribe(url('own'), { ...own, table: `t_${mark}` })
  await tenant.subscribe(url('dead'), { ...own, table: '_deliveries', events: ['INSERT'] })
  await tenant.subscribe(url('circuit'), { ...own, table: '_endpoints', events: ['UPDATE'] })
  expectStatus(200, await tenant.webhooks(`PATCH /${sleeps.id}`, { active: false }))
  return { webhookIds: [takes.id, fails.id, waits.id, sleeps.id], fails: fails.id }
}

async function writeAll({ tenant, mark }: Parts): Promise<string[]> {
  const once = { 'idempotency-key': idempotencyKey }
  const fields = { note: mark, n: 1 }
  const created = expectStatus(201, await tenant.rest('POST orders', fields, once)).body
  const second = await tenant.insert(fields)
  expectStatus(200, await tenant.rest(`PATCH orders/${second.id}`, { n: 2 }))
  await tenant.insert({ [`c_${mark}`]: mark }, `t_${mark}`)
  const record = { id: mark, note: mark }
  const change = { table: 'invoices', event: 'INSERT', recordId: mark, record }
  expectStatus(202, await tenant.rest('POST _changes', { id: randomUUID(), ...change }))
  for (let n = 0; n < 5; n++) await tenant.insert({ note: mark, n })
  return [created.id, second.id, mark]
}

async function replayTo(tenant: Tenant, id: string): Promise<string[]> {
  const from = new Date(Date.now() - 60_000).toISOString()
  const asked = await tenant.webhooks<{ replayId: string }>(`POST /${id}/replay`, { from })
  const { replayId } = expectStatus(202, asked).body
  await eventually(
    () => tenant.webhooks<Replay>(`GET /${id}/replays/${replayId}`),
    ({ body }) => body.state === 'done',
  )
  return [replayId]
}

async function idsOf(tenant: Tenant, request: string, list: string): Promise<string[]> {
  const { body } = await tenant.rest<Record<string, { id: string }[]>>(request)
  return (body[list] ?? []).map(({ id }) => id)
}

async function listCursors(tenant: Tenant): Promise<string[]> {
  const lists = ['orders', '_webhooks', '_deliveries', '_endpoints', '_webhooks/stats']
  const pages = await Promise.all(
    lists.map((list) => tenant.rest<{ nextCursor: string | null }>(`GET ${list}?limit=1`)),
  )
  return pages.map(({ body }) => body.nextCursor).filter((cursor) => cursor !== null)
}

export async function cursorOfStream(tenant: Tenant): Promise<string> {
  const page = await tenant.rest('GET _stream?format=ndjson&from=1h&limit=2')
  return expectStatus(200, page).headers.get('x-next-cursor') ?? ''
}
