import { randomUUID } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import {
  environmentPurgesTopic,
  environmentsTopic,
  managementTokensTopic,
  subscriptionsTopic,
  tablesTopic,
} from '@surehook/contracts/topics'
import { admin, expectStatus, type Records, send } from '@surehook/scripts/client/call'
import { createTenant, type Tenant } from '@surehook/scripts/client/tenant'
import { Kafka, logLevel } from 'kafkajs'
import { Client } from 'pg'
import { surehook } from '../support/commands/operator-cli.ts'
import { eventually, openWorld, type World } from '../support/world.ts'

let world: World
let database: Client

beforeAll(async () => {
  world = await openWorld({ replicas: { 'data-api': 2, 'webhook-api': 2, 'auth-service': 2 } })
  database = new Client({ connectionString: world.system.endpoints.databaseUrl })
  await database.connect()
})
afterAll(async () => {
  await database?.end()
  await world?.[Symbol.asyncDispose]()
})

const cli = (...args: string[]) =>
  surehook(
    { SUREHOOK_URL: world.system.baseUrl, SUREHOOK_ADMIN_TOKEN: world.system.adminToken },
    'admin',
    ...args,
  )

/** Creates a tenant with everything that an environment can have. */
async function furnished(projectId: string, environment: string): Promise<Tenant> {
  const tenant = await createTenant(world.system, { projectId, environment })
  const settings = { auth: { emailVerification: false } }
  expectStatus(
    200,
    await admin(world.system, `PUT /${projectId}/environments/${environment}`, settings),
  )
  await admin(world.system, `POST /${projectId}/environments/${environment}/roles`, {
    name: 'clerk',
  })
  await signUpAndIn(projectId, environment)
  await tenant.putTable('orders')
  const { id } = await tenant.subscribe(world.receiver.url(`/${projectId}/${environment}`))
  // A receiver that never answers, so that its delivery waits on a retry topic.
  const silent = await tenant.subscribe(world.receiver.url(`/${projectId}/${environment}/fails`))
  world.receiver.answer(`/${projectId}/${environment}/fails`, () => ({ status: 503 }))
  await tenant.rest('POST orders', { n: 1 }, { 'idempotency-key': randomUUID() })
  const change = { table: 'invoices', event: 'INSERT', recordId: '1', record: {} }
  expectStatus(202, await tenant.rest('POST _changes', change))
  await eventually(
    () => tenant.deliveries(id),
    ([one]) => one?.status === 'delivered',
  )
  await eventually(
    () => tenant.deliveries(silent.id),
    ([one]) => (one?.attempts ?? 0) > 0,
  )
  return tenant
}

async function signUpAndIn(projectId: string, environment: string): Promise<void> {
  const headers = { 'x-project-id': projectId, environment }
  const body = { email: 'ada@example.com', password: 'correct horse battery' }
  expectStatus(201, await send(world.system.baseUrl, 'POST /auth/signup', { body, headers }))
  expectStatus(200, await send(world.system.baseUrl, 'POST /auth/login', { body, headers }))
}

/** Counts the project's rows in every table of every service that has a column for the project. */
async function rowsOf(projectId: string, environment: string): Promise<Record<string, number>> {
  const { rows: tables } = await database.query<{ name: string; environment: string }>(
    `select format('%I.%I', p.table_schema, p.table_name) as name, e.column_name as environment
       from information_schema.columns p
       join information_schema.columns e using (table_schema, table_name)
       join information_schema.tables t using (table_schema, table_name)
      where p.column_name = 'project_id' and t.table_type = 'BASE TABLE'
        and (e.column_name = 'environment' or (t.table_name = 'environment' and e.column_name = 'name'))`,
  )
  const counts: Record<string, number> = {}
  for (const { name, environment: column } of tables) {
    const { rowCount } = await database.query(
      `select from ${name} where project_id = $1 and ${column} = $2`,
      [projectId, environment],
    )
    if (rowCount !== 0) counts[name] = rowCount ?? 0
  }
  return counts
}

/** Returns the present states on compacted topics whose key or value names the project. */
async function statesOf(projectId: string): Promise<string[]> {
  return [...(await readStates())]
    .filter(([key, [value]]) => value !== null && `${key} ${value}`.includes(projectId))
    .map(([key]) => key)
}

const openKafka = () =>
  new Kafka({
    brokers: world.system.endpoints.kafkaBrokers.split(','),
    logLevel: logLevel.NOTHING,
  })

/** Reads all values by topic and key, newest first. */
async function readStates(): Promise<Map<string, (string | null)[]>> {
  const kafka = openKafka()
  const topics = [
    environmentsTopic,
    environmentPurgesTopic,
    managementTokensTopic,
    subscriptionsTopic,
    tablesTopic,
  ]
  const consumer = kafka.consumer({ groupId: `test-${randomUUID()}`, readUncommitted: true })
  await using closing = new AsyncDisposableStack()
  closing.defer(() => consumer.disconnect())
  const ends = await endsOf(kafka, topics)
  const states = new Map<string, (string | null)[]>()
  const read = new Map<string, number>()
  await consumer.connect()
  await consumer.subscribe({ topics, fromBeginning: true })
  await consumer.run({
    eachMessage: async ({ topic, message }) => {
      const name = `${topic} ${String(message.key)}`
      const value = message.value?.toString('latin1') ?? null
      states.set(name, [value, ...(states.get(name) ?? [])])
      read.set(topic, Number(message.offset) + 1)
    },
  })
  const isRead = () => [...ends].every(([topic, end]) => (read.get(topic) ?? 0) >= end)
  await eventually(async () => isRead(), Boolean)
  return states
}

/** Simulates a slower replica that publishes the same purge after another one. */
async function publishPurgedAgain(environment: string, service: string): Promise<void> {
  const key = `${environment}/${service}`
  const values = (await readStates()).get(`${environmentPurgesTopic} ${key}`) ?? []
  const published = values.find((value) => value !== null)
  if (!published) throw new Error('nothing was published')
  const producer = openKafka().producer()
  await producer.connect()
  const message = { key, value: Buffer.from(published, 'latin1') }
  await producer.send({ topic: environmentPurgesTopic, messages: [message] })
  await producer.disconnect()
}

async function endsOf(kafka: Kafka, topics: readonly string[]): Promise<Map<string, number>> {
  const client = kafka.admin()
  await client.connect()
  try {
    const ends = new Map<string, number>()
    for (const topic of topics) {
      const [partition] = await client.fetchTopicOffsets(topic)
      ends.set(topic, Number(partition?.high ?? 0))
    }
    return ends
  } finally {
    await client.disconnect()
  }
}

describe('a deleted environment', () => {
  const project = `p-${randomUUID()}`
  let tenant: Tenant
  let other: Tenant
  let dir: string

  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'surehook-export-'))
    tenant = await furnished(project, 'live')
    other = await furnished(project, 'staging')
  })
  afterAll(async () => rm(dir, { recursive: true, force: true }))

  it('exports its data to files before', async () => {
    const exported = await cli('export', project, '--to', dir, '--environment', 'live', '--json')
    expect(exported.code).toBe(0)
    const lines = async (path: string) =>
      (await readFile(join(dir, 'live', path), 'utf8'))
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line) as Record<string, unknown>)
    const json = async (path: string) => JSON.parse(await readFile(join(dir, 'live', path), 'utf8'))
    expect(await lines('users.ndjson')).toMatchObject([{ email: 'ada@example.com' }])
    expect(await lines('roles.ndjson')).toMatchObject([{ name: 'clerk' }])
    expect(await lines('records/orders.ndjson')).toMatchObject([{ n: 1 }])
    expect(await json('tables.json')).toMatchObject([{ name: 'orders' }])
    expect(await json('settings.json')).toMatchObject({ auth: { emailVerification: false } })
    const webhooks = (await json('webhooks.json')) as { id: string }[]
    expect(webhooks).toHaveLength(2)
    for (const { id } of webhooks) expect(await lines(`deliveries/${id}.ndjson`)).toHaveLength(1)
    expect(JSON.stringify(exported.json())).not.toContain('staging')
  })

  it('has to be named twice', async () => {
    const wrong = await cli('environments', 'delete', project, 'live', '--confirm', 'live')
    expect(wrong).toMatchObject({ code: 2, out: '' })
    expect((await tenant.rest('GET orders')).status).toBe(200)
  })

  it('is gone from every table and topic, and its neighbour is not', async () => {
    const before = await rowsOf(project, 'staging')
    const named = [project, 'live', '--confirm', `${project}/live`] as const
    const deleting = cli('environments', 'delete', ...named, '--wait')
    // Every service refuses the environment from the answer on, while it is being deleted.
    await eventually(
      () => admin(world.system, `PUT /${project}/environments/live`, {}),
      ({ status }) => status === 409,
    )
    const headers = { 'x-project-id': project, environment: 'live' }
    const login = { email: 'ada@example.com', password: 'correct horse battery' }
    const refused = await send(world.system.baseUrl, 'POST /auth/login', { body: login, headers })
    expect(refused.status).toBe(404)
    await eventually(
      () =>
        tenant.subscribe(world.receiver.url('/late')).then(
          () => 201,
          () => 404,
        ),
      (status) => status === 404,
    )
    expect(await deleting).toMatchObject({ code: 0 })
    expect(await rowsOf(project, 'live')).toEqual({})
    // Its failing webhook goes on: there may be more rows.
    expect(await rowsOf(project, 'staging')).toMatchObject(before)
    expect((await other.rest<Records>('GET orders')).body.records).toHaveLength(1)
    // A replica may tell of its purge after the deletion, and that record is dropped then.
    const states = await eventually(
      () => statesOf(project),
      (keys) => !keys.some((key) => key.includes('/live')),
    )
    expect(states.filter((key) => key.startsWith(`${subscriptionsTopic} `))).toHaveLength(2)
  })

  it('can be created again, empty', async () => {
    const again = await createTenant(world.system, { projectId: project, environment: 'live' })
    expect((await again.rest('GET orders')).status).toBe(404)
    expect((await again.webhooks('GET')).body).toEqual({ webhooks: [], nextCursor: null })
    const settings = await admin(world.system, `GET /${project}/environments/live`)
    expect(settings.body).toMatchObject({ auth: { emailVerification: true }, deletedAt: null })
  })

  it('is deleted with its project, whose tokens are revoked at once', async () => {
    const deleting = cli('projects', 'delete', project, '--confirm', project, '--wait')
    await eventually(
      () => other.rest('GET orders'),
      ({ status }) => status === 401,
    )
    expect(await deleting).toMatchObject({ code: 0 })
    expect(await rowsOf(project, 'staging')).toEqual({})
    await publishPurgedAgain(`${project}/staging`, 'webhook-api')
    await eventually(
      () => statesOf(project),
      (states) => states.length === 0,
    )
    const { body } = await admin(world.system, 'GET ?limit=200')
    expect(JSON.stringify(body)).not.toContain(project)
    expect((await admin(world.system, `DELETE /${project}`)).status).toBe(404)
  })
})
