import { randomUUID } from 'node:crypto'
import type { BenchProject } from '../platform/platform.ts'

/** One request that is as large as the limits allow. */
export type CostlyRequest = {
  name: string
  method?: string
  /** A path of the project's API below `/gw/api/rest`, or an absolute one of the installation. */
  path: string
  /** Makes the body of each request. */
  body?: () => unknown
  headers?: Record<string, string>
}

const columnTypes = ['text', 'integer', 'json', 'timestamp', 'decimal']
const columns = Array.from({ length: 25 }, (_, n) => ({
  name: `c${n}`,
  type: columnTypes[n % columnTypes.length],
}))
const wideColumns = Array.from({ length: 200 }, (_, n) => ({ name: `w${n}`, type: 'text' }))
const values = ['x'.repeat(40), 7, { a: [1, 2, 3] }, '2026-01-02T03:04:05.678Z', '12.50']
const record = Object.fromEntries(columns.map(({ name }, n) => [name, values[n % values.length]]))

const tables = 40
export const webhooks = 200
const listed = 200
/** How many items a list of 1 MiB holds. */
const items = 900
const roles = Array.from({ length: 100 }, (_, n) => `${n}`.padStart(64, 'r'))
const unknownRoles = Array.from({ length: 100 }, (_, n) => `no${n}`)

/** Makes what the requests ask for, and returns the ids of the subscriptions. */
export async function prepare(project: BenchProject): Promise<string[]> {
  const { call, projectId } = project
  await prepareUsers(project)
  for (let n = 0; n < tables; n++) await call('PUT', `/_tables/t${n}`, { columns })
  await call(
    'POST',
    '/t0',
    Array.from({ length: listed }, () => record),
  )
  const large = { c0: 'x'.repeat(20_000) }
  for (let n = 0; n < listed; n += 40) {
    await call(
      'POST',
      '/t1',
      Array.from({ length: 40 }, () => large),
    )
  }
  const ids: string[] = []
  for (let n = 0; n < webhooks; n++) {
    const { id } = await call('POST', '/_webhooks', webhookOf(projectId))
    ids.push(String(id))
  }
  return ids
}

async function prepareUsers({ administer }: BenchProject): Promise<void> {
  for (const name of roles) await administer('POST', '/roles', { name, selfAssignable: false })
  for (let n = 0; n < listed; n += 100) {
    await administer('POST', '/users/import', usersWith(roles, 100))
  }
}

const webhookOf = (projectId: string) => ({
  ...{ projectId, environment: 'master', table: 't0', events: ['INSERT'], active: false },
  url: 'https://receiver.example/hook',
  secret: `bench-secret-${randomUUID()}`,
  policy: { headers: { authorization: `Bearer ${randomUUID()}` } },
})

const fields = columns.map(({ name }) => name).join(' ')
const schemaQuery = `{ __schema { types { kind name description
  fields(includeDeprecated: true) { name description args { name description type { kind name } }
    type { kind name ofType { kind name ofType { kind name } } } }
  inputFields { name description type { kind name } } enumValues { name } } } }`

/** A filter with as many conditions as one may have. */
const widestFilter = { or: Array.from({ length: 30 }, (_, n) => ({ c0: { contains: `zz${n}` } })) }
const filterText = encodeURIComponent(JSON.stringify(widestFilter))

export type Prepared = Pick<BenchProject, 'projectId'> & {
  /** The path of the console's program. */
  script: string
}

export const costlyRequests = ({ projectId, script }: Prepared): readonly CostlyRequest[] => [
  ...dataRequests,
  ...webhookRequests(projectId),
  ...userRequests(`auth/admin/projects/${projectId}/environments/master/users`),
  ...gatewayRequests,
  { name: "gateway: the console's program", path: script, headers: asStored },
  {
    name: 'auth-service: a login that is refused',
    ...login({ email: 'a@b.example', password: 'x' }),
  },
  { name: 'auth-service: a login of 1 MiB that is refused', ...login({ email: hostile }) },
  {
    name: 'auth-service: GraphQL, 60 aliases in 1,900 characters',
    ...posted('auth/graphql', () => ({ query: manyAliases })),
  },
]

const dataRequests: CostlyRequest[] = [
  { name: 'data-api: a record', path: '/t0?limit=1' },
  { name: 'data-api: 200 records of 25 columns', path: '/t0?limit=200' },
  { name: 'data-api: a page of 4 MiB', path: '/t1?limit=200' },
  { name: 'data-api: a list with 30 conditions', path: `/t0?limit=200&where=${filterText}` },
  { name: `data-api: ${items} new records of 1 MiB`, ...posted('/t2', () => listOf(record)) },
  { name: `data-api: ${items} published changes of 1 MiB`, ...posted('/_changes', () => changes) },
  {
    name: 'data-api: a table of 25 columns',
    method: 'PUT',
    path: '/_tables/t0',
    body: () => ({ columns }),
  },
  {
    name: 'data-api: a table of 200 columns',
    method: 'PUT',
    path: '/_tables/wide',
    body: () => ({ columns: wideColumns }),
  },
  { name: 'data-api: 20 new records', ...posted('/t2', () => listOf(record).slice(0, 20)) },
  { name: 'data-api: 19 published changes', ...posted('/_changes', () => changes.slice(0, 19)) },
  graphql(
    'data-api: GraphQL, 200 records of 25 columns',
    `{ t0(limit: 200) { records { ${fields} } } }`,
  ),
  graphql('data-api: GraphQL, the schema of 40 tables again', schemaQuery),
]

const webhookRequests = (projectId: string): CostlyRequest[] => [
  { name: 'webhook-api: a subscription', path: '/_webhooks?limit=1' },
  {
    name: 'webhook-api: 200 subscriptions with fingerprints',
    path: '/_webhooks?limit=200&fingerprints=true',
  },
  {
    name: 'webhook-api: a new subscription with 30 conditions',
    ...posted('/_webhooks/preview', () => ({
      ...webhookOf(projectId),
      ...{ events: ['INSERT', 'UPDATE', 'DELETE'], filter: widestFilter },
    })),
  },
  {
    name: 'webhook-api: statistics of 200 subscriptions, 7 days',
    path: '/_webhooks/stats?window=7d&limit=200',
  },
  {
    name: 'webhook-api: statistics of 200 subscriptions, 24 hours',
    path: '/_webhooks/stats?window=24h&limit=200',
  },
  {
    name: 'webhook-api: a page of 512 KiB of the stream',
    path: '/_stream?format=ndjson&from=1h&limit=1000',
  },
  {
    name: 'webhook-api: a search for 1,000 deliveries',
    path: '/_deliveries?status=delivered&limit=1000',
  },
  {
    name: 'webhook-api: 1,000 deliveries that a search has to look for',
    path: '/_deliveries?table=bench&httpStatus=204&limit=1000',
  },
]

/** 1 MiB each. */
const userRequests = (path: string): CostlyRequest[] => [
  {
    name: 'auth-service: 1,000 imported users',
    ...posted(`${path}/import`, () => usersWith(roles.slice(0, 10), 1_000)),
  },
  {
    name: 'auth-service: 1,000 imported users without one of their 100 roles',
    ...posted(`${path}/import`, () => usersWith(unknownRoles, 1_000)),
  },
  { name: 'auth-service: 200 users with 100 roles', path: `${path}?limit=200` },
]

const asStored = { 'accept-encoding': 'identity' }

/** The gateway answers these itself. Its part of the others is in their rows. */
const gatewayRequests: CostlyRequest[] = [
  { name: 'gateway: a path of 15,000 characters', path: `none/${'%61/'.repeat(3_750)}` },
  { name: 'gateway: 400 headers', path: 'none', headers: manyHeaders(400) },
  { name: 'gateway: the description of an API', path: 'openapi/webhooks.json', headers: asStored },
]

function manyHeaders(count: number): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, n) => [`x-${n}`, 'x'.repeat(20)]))
}

function listOf<T>(item: T): T[] {
  return Array.from({ length: items }, () => item)
}

const changes = listOf(null).map((_, n) => ({
  ...{ table: 'elsewhere', recordId: String(n), event: 'INSERT', record },
}))

const hash = `$2b$10$${'a'.repeat(53)}`

const usersWith = (names: readonly string[], count: number) => ({
  users: Array.from({ length: count }, () => ({
    email: `${randomUUID()}@bench.example`,
    passwordHash: hash,
    roles: names,
  })),
})

function posted(path: string, body: () => unknown) {
  return { method: 'POST', path, body }
}

function graphql(name: string, query: string): CostlyRequest {
  return { name, method: 'POST', path: 'gw/api/graphql', body: () => ({ query }) }
}

function login(body: object) {
  return { method: 'POST', path: 'auth/login', body: () => body }
}

/** Many small values, and an escape that makes the names be looked at. */
const hostile = ['\u0000', ...Array.from({ length: 500_000 }, () => 1)]

const aliases = Array.from({ length: 60 }, (_, n) => `s${n}: settings { encryptTokens }`)
/** Below the length from which queries take turns. */
const manyAliases = `{ ${aliases.join(' ')} }`
