import { createHash, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import {
  clientOf,
  expectStatus,
  headersOf,
  type Records,
  type RequestHeaders,
} from '@surehook/scripts/client/call'
import { askGraphQL } from '@surehook/scripts/client/graphql'
import { createToken } from '@surehook/scripts/client/tenant'
import { propertyRuns } from '@surehook/testing/property-runs'
import fc from 'fast-check'
import type { AuthTenant } from '../support/auth/auth-tenant.ts'
import { transports } from '../support/auth/auth-transports.ts'
import { openSharedAuthWorld, type SharedAuthWorld } from '../support/shared/shared-world.ts'

/**
 * An environment with a table, one record, a management token and a user who may do everything
 * there.
 */
type TenantClient = {
  of: AuthTenant
  managementToken: string
  accessToken: string
  recordId: string
  cursor: string
  /** A value in the record. An answer that contains it proves a leak. */
  secret: string
}
type Credential = 'managementToken' | 'accessToken'

let world: SharedAuthWorld
/** Two environments of one project, and another project. All tables have the same name. */
let places: TenantClient[]
const credentials = ['managementToken', 'accessToken'] as const

beforeAll(async () => {
  world = await openSharedAuthWorld()
  const projectId = `p-${randomUUID()}`
  const names = [{ projectId }, { projectId, environment: 'dev' }, {}]
  places = await Promise.all(names.map(openPlace))
})
afterAll(async () => {
  await world?.[Symbol.asyncDispose]()
})

async function openPlace(names: {
  projectId?: string
  environment?: string
}): Promise<TenantClient> {
  const [, transport] = transports[0] ?? []
  if (transport === undefined) throw new Error('no transport')
  const of = await world.tenant(transport, { ...names, auth: { emailVerification: false } })
  expectStatus(201, await of.admin('POST', '/roles', { name: 'member' }))
  await of.configure({ defaultRole: 'member' })
  const limits = { environments: [of.environment] }
  const { token: managementToken } = await createToken(world.system, of.projectId, limits)
  const { session } = await of.newUser()
  const headers = headersFor(of, managementToken)
  const members = ['member']
  const access = { read: members, create: members, update: members, delete: members }
  const columns = [{ name: 'owner', type: 'text' }]
  await rest(headers).call('PUT _tables/orders', { columns, access })
  const secret = `secret-${randomUUID()}`
  const records = [{ owner: secret }, { owner: secret }]
  const { list } = await rest(headers).call('POST orders', records)
  const page = await rest(headers).call<Records>('GET orders?limit=1')
  return {
    of,
    managementToken,
    accessToken: session.accessToken,
    recordId: list[0]?.id ?? '',
    cursor: page.body.nextCursor ?? '',
    secret,
  }
}

const headersFor = ({ projectId, environment }: AuthTenant, token: string): RequestHeaders =>
  headersOf({ projectId, environment, token })

const rest = (headers: RequestHeaders) => clientOf(`${world.system.baseUrl}/gw/api/rest/`, headers)
const ask = (headers: RequestHeaders, query: string) =>
  askGraphQL(`${world.system.baseUrl}/gw/api/graphql`, headers, { query })

/** A caller with the credential of one place, and the place that it attacks. */
type Intruder = { headers: RequestHeaders; victim: TenantClient }

/** Calls every operation on the victim's record over REST. Returns statuses and codes. */
async function overRest({ headers, victim }: Intruder): Promise<string[]> {
  const calls: [string, unknown?][] = [
    ['PUT _tables/orders', { columns: [] }],
    ['GET _tables'],
    ['GET _tables/orders'],
    ['DELETE _tables/orders'],
    ['POST orders', { owner: 'stolen' }],
    ['POST orders', [{ owner: 'stolen' }]],
    ['GET orders'],
    [`GET orders?cursor=${victim.cursor}`],
    [`GET orders/${victim.recordId}`],
    [`PATCH orders/${victim.recordId}`, { owner: 'stolen' }],
    [`DELETE orders/${victim.recordId}`],
  ]
  const seen: string[] = []
  for (const [request, body] of calls) {
    const answer = await rest(headers).call(request, body)
    expect(answer.text).not.toContain(victim.secret)
    seen.push(`${answer.status} ${answer.body.error ?? 'ok'}`)
  }
  return seen
}

/** The same over GraphQL. */
async function overGraphQL({ headers, victim }: Intruder): Promise<string[]> {
  const id = JSON.stringify(victim.recordId)
  const queries = [
    '{ orders { records { id owner } } }',
    `{ orders(cursor: ${JSON.stringify(victim.cursor)}) { records { id owner } } }`,
    `{ order(id: ${id}) { owner } }`,
    'mutation { createOrder(input: { owner: "stolen" }) { id } }',
    'mutation { createOrders(input: [{ owner: "stolen" }]) { id } }',
    `mutation { updateOrder(id: ${id}, input: { owner: "stolen" }) { id } }`,
    `mutation { deleteOrder(id: ${id}) { owner } }`,
    '{ __schema { types { name } } }',
  ]
  const seen: string[] = []
  for (const query of queries) {
    const answer = await ask(headers, query)
    expect(answer.text).not.toContain(victim.secret)
    seen.push(`${answer.status} ${answer.codes.join() || 'ok'}`)
  }
  return seen
}

/** Returns the content of a place, as its own management token sees it. */
async function possessions({ of, managementToken }: TenantClient): Promise<string[]> {
  const headers = headersFor(of, managementToken)
  const answers = ['GET _tables', 'GET orders'].map((request) => rest(headers).call(request))
  return (await Promise.all(answers)).map(({ text }) => text)
}

const pairs = [0, 1, 2].flatMap((from) =>
  [0, 1, 2].filter((to) => to !== from).map((to) => [from, to] as const),
)
const matrix = credentials.flatMap((kind) => pairs.map(([from, to]) => [kind, from, to] as const))

function between(from: number, to: number): { own: TenantClient; victim: TenantClient } {
  const [own, victim] = [places[from], places[to]]
  if (own === undefined || victim === undefined) throw new Error('no such place')
  return { own, victim }
}

describe('nothing reaches another environment', () => {
  it.each(matrix)(
    'with the %s of place %i and the headers of place %i',
    async (kind: Credential, from, to) => {
      const { own, victim } = between(from, to)
      const before = await possessions(victim)
      const intruder = { headers: headersFor(victim.of, own[kind]), victim }
      const refusal = kind === 'managementToken' ? '403 FORBIDDEN' : '401 AUTH_TOKEN_INVALID'
      expect(new Set(await overRest(intruder))).toEqual(new Set([refusal]))
      expect(new Set(await overGraphQL(intruder))).toEqual(new Set([refusal]))
      expect(await possessions(victim)).toEqual(before)
    },
  )

  it.each(matrix)(
    'with the %s of place %i and what is in place %i',
    async (kind: Credential, from, to) => {
      const { own, victim } = between(from, to)
      const before = await possessions(victim)
      const headers = headersFor(own.of, own[kind])
      const { recordId, cursor } = victim
      const id = JSON.stringify(recordId)
      const seen: (string | undefined)[] = []
      for (const [request, body] of [
        [`GET orders/${recordId}`],
        [`PATCH orders/${recordId}`, { owner: 'x' }],
        [`DELETE orders/${recordId}`],
        [`GET orders?cursor=${cursor}`],
      ] as const) {
        seen.push((await rest(headers).call(request, body)).body.error)
      }
      for (const query of [
        `{ order(id: ${id}) { owner } }`,
        `mutation { updateOrder(id: ${id}, input: { owner: "x" }) { owner } }`,
        `mutation { deleteOrder(id: ${id}) { owner } }`,
        `{ orders(cursor: ${JSON.stringify(cursor)}) { records { owner } } }`,
      ]) {
        seen.push((await ask(headers, query)).codes.join())
      }
      const missing = [
        'RECORD_NOT_FOUND',
        'RECORD_NOT_FOUND',
        'RECORD_NOT_FOUND',
        'VALIDATION_ERROR',
      ]
      expect(seen).toEqual([...missing, ...missing])
      expect(await possessions(victim)).toEqual(before)
    },
  )

  it('a manager of one environment with crafted table names', async () => {
    const { own, victim } = between(0, 2)
    const before = await possessions(victim)
    const headers = headersFor(own.of, own.managementToken)
    const names = fc.oneof(craftedName(victim.of), fc.string({ minLength: 1, maxLength: 80 }))
    const property = fc.asyncProperty(names, names, async (one, other) => {
      for (const { status, text } of await crafted(headers, one, other)) {
        expect(status).toBeLessThan(500)
        expect(text).not.toContain(victim.secret)
      }
    })
    await fc.assert(property, { numRuns: propertyRuns(40) })
    expect(await possessions(victim)).toEqual(before)
  })
})

/** Makes names of the other tenant's objects, with knowledge of how schemas are named. */
function craftedName({ projectId, environment }: AuthTenant): fc.Arbitrary<string> {
  const hash = createHash('sha256')
    .update(JSON.stringify([projectId, environment]))
    .digest('hex')
  const schema = `d_${hash.slice(0, 48)}`
  const table = fc.constantFrom(
    `${schema}.orders`,
    `"${schema}"."orders"`,
    'table_definition',
    'orders',
  )
  const before = fc.constantFrom(
    '',
    'orders"; ',
    'orders t union all select * from ',
    '../',
    '_tables/',
    '\\',
  )
  const after = fc.constantFrom(
    '',
    ' --',
    '"; drop table orders; --',
    '\0',
    "' or '1'='1",
    '::text',
  )
  return fc.tuple(before, table, after).map((parts) => parts.join(''))
}

/** Returns the answers to requests with these texts as names and values. */
async function crafted(headers: RequestHeaders, one: string, other: string) {
  const path = encodeURIComponent(one.toWellFormed())
  const where = encodeURIComponent(JSON.stringify({ [one]: other, owner: { in: [one, other] } }))
  const calls: [request: string, body?: unknown][] = [
    [`GET ${path}`],
    [`GET ${path}/${encodeURIComponent(other.toWellFormed())}`],
    [`PUT _tables/${path}`, { columns: [{ name: other, type: 'text' }] }],
    [`POST orders`, { [one]: other }],
    [`GET orders?where=${where}`],
    [`GET orders?order=${path}`],
    [`GET orders?cursor=${path}`],
  ]
  const answers = calls.map(([request, body]) => rest(headers).call(request, body))
  const graphql = [
    `{ ${one} { records { ${other} } } }`,
    `{ orders(order: ${JSON.stringify(one)}, cursor: ${JSON.stringify(other)}) { records { owner } } }`,
    `{ orders(where: { owner: { eq: ${JSON.stringify(one)} } }) { records { owner } } }`,
    `mutation { createOrder(input: { ${one}: ${JSON.stringify(other)} }) { id } }`,
  ].map((query) => ask(headers, query))
  return Promise.all([...answers, ...graphql])
}
