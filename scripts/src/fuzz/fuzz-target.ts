import { randomUUID } from 'node:crypto'
import type { LoggedIn, signup } from '@surehook/contracts/http/auth'
import type { ReplyOf } from '@surehook/contracts/operation'
import { waitUntil } from '@surehook/service-kit/wait-until'
import { admin, expectStatus, type Platform, send } from '../client/call.ts'
import { createTenant } from '../client/tenant.ts'

/**
 * The target of requests, and existing names, so that most requests pass the checks of credential
 * and path.
 */
export type FuzzTarget = {
  baseUrl: string
  tokens: { admin: string; management: string; user: string }
  projectId: string
  environment: string
  table: string
  source: string
  ids: IdsOf
  deliveryId: string
  /** Objects that may be deleted. */
  spare: { table: string; ids: IdsOf }
  email: string
}

/** The value of `{id}` in the paths of a document. */
export type IdsOf = { data: string; webhooks: string; admin: string }

const typesOfColumns = {
  a: 'text',
  b: 'integer',
  c: 'bigint',
  d: 'double',
  e: 'decimal',
  f: 'boolean',
  g: 'timestamp',
  h: 'date',
  i: 'uuid',
  j: 'json',
}

/** Creates a tenant for one document, so that leftovers of fuzzing disturb no other. */
export async function prepareFuzzTarget(platform: Platform): Promise<FuzzTarget> {
  const tenant = await createTenant(platform)
  const { projectId, environment } = tenant
  const table = 'things'
  await tenant.putTable(table, typesOfColumns)
  const spareTable = 'spare'
  await tenant.putTable(spareTable, typesOfColumns)

  const source = 'shop'
  const url = 'postgresql://me:secret@db.invalid/shop'
  expectStatus(200, await tenant.rest(`PUT _sources/${source}`, { url }))

  const settings = { auth: { emailVerification: false } }
  const path = `/${projectId}/environments/${environment}`
  expectStatus(200, await admin(platform, `PUT ${path}`, settings))
  const headers = { 'x-project-id': projectId, environment }
  const call = <T>(operation: string, body: object) =>
    send<T>(platform.baseUrl, `POST /auth/${operation}`, { body, headers })
  const password = 'correct horse battery'
  const one = async () => {
    const email = `${randomUUID()}@example.com`
    const answer = await call<ReplyOf<typeof signup>>('signup', { email, password })
    const ids: IdsOf = {
      data: (await tenant.insert({ a: 'x' }, table)).id,
      webhooks: (await tenant.subscribe('https://receiver.invalid/', { table })).id,
      admin: expectStatus(201, answer).body.userId,
    }
    return { email, ids }
  }
  const { email, ids } = await one()
  await tenant.insert({ a: 'delivered' }, table)
  const made = async () => (await tenant.deliveries(ids.webhooks)).length > 0
  await waitUntil(made, { what: 'a delivery', timeoutMs: 20_000 })
  const [delivery] = await tenant.deliveries(ids.webhooks)
  const session = expectStatus(200, await call<LoggedIn>('login', { email, password })).body
  return {
    baseUrl: platform.baseUrl,
    tokens: {
      admin: platform.adminToken,
      management: tenant.token,
      user: session.accessToken,
    },
    projectId,
    environment,
    table,
    source,
    ids,
    deliveryId: delivery?.id ?? '',
    spare: { table: spareTable, ids: (await one()).ids },
    email,
  }
}
