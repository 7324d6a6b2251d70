import { readFile } from 'node:fs/promises'
import { request } from 'node:https'
import { json } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { expectStatus } from '@surehook/scripts/client/call'
import { createTenant, defaultSecret, type Tenant } from '@surehook/scripts/client/tenant'
import { repoRoot } from '@surehook/scripts/lib/paths'
import { parse } from 'yaml'
import { AuthTenant, trusting } from '../support/auth/auth-tenant.ts'
import { transports } from '../support/auth/auth-transports.ts'
import { eventually } from '../support/world.ts'
import { type ExamplesWorld, openExamplesWorld, type RunningExample } from './examples-world.ts'

const typed = ['express-receiver', 'fastify-receiver', 'publisher', 'token-verifier']
const secrets = JSON.stringify([defaultSecret])

let world: ExamplesWorld

beforeAll(async () => {
  world = await openExamplesWorld([...typed, 'infrastructure'])
})
afterAll(async () => {
  await world?.[Symbol.asyncDispose]()
})

it.each(typed)('the types of %s are correct', async (name) => {
  expect(await world.run(name, 'npm run check')).toMatchObject({ code: 0 })
})

/** Calls an example behind its TLS proxy. Resolves with the status and the parsed body. */
function call(
  example: RunningExample,
  path: string,
  options: CallOptions = {},
): Promise<CallResult> {
  const { method = 'GET', token, body } = options
  const headers = {
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
    ...(body !== undefined && { 'content-type': 'application/json' }),
  }
  const { ca } = world.certificates
  return new Promise((resolve, reject) => {
    const req = request(example.url + path, { method, headers, ca, agent: false }, (res) => {
      json(res).then((parsed) => resolve({ status: res.statusCode, body: parsed as Body }), reject)
    })
    req.once('error', reject)
    req.end(body === undefined ? undefined : JSON.stringify(body))
  })
}

type CallOptions = { method?: 'GET' | 'POST'; token?: string; body?: object }
type Body = Record<string, unknown> & { id: string }
type CallResult = { status: number | undefined; body: Body }

async function newTenant(): Promise<Tenant> {
  const tenant = await createTenant(world.system)
  await tenant.putTable('orders', { customer: 'text', status: 'text' })
  return tenant
}

/** Waits until the subscription has `count` deliveries in this state, and resolves with them. */
async function deliveries(tenant: Tenant, id: string, status: string, count = 1) {
  const inState = ({ status: found }: { status: string }) => found === status
  const all = await eventually(
    () => tenant.deliveries(id),
    (found) => found.filter(inState).length === count,
  )
  return all.filter(inState)
}

/** Asks Surehook to send the newest delivery again: it has the same `webhook-id`. */
async function redeliver(tenant: Tenant, id: string): Promise<void> {
  const [newest] = await tenant.deliveries(id)
  const path = `/${id}/deliveries/${newest?.id}/redeliver`
  expectStatus(202, await tenant.webhooks(`POST ${path}`))
}

async function expectRefused(tenant: Tenant, url: string): Promise<void> {
  const { id } = await tenant.subscribe(url, { secret: 'the secret of somebody else' })
  await tenant.insert({ customer: 'Mallory', status: 'new' })
  const [refused] = await deliveries(tenant, id, 'dead_letter')
  expect(refused).toMatchObject({ httpStatus: 401 })
}

describe('express-receiver', () => {
  it('handles a delivery once, also after a restart, and refuses a wrong signature', async () => {
    const tenant = await newTenant()
    let receiver = await world.start('express-receiver', { WEBHOOK_SECRETS: secrets })
    const { id } = await tenant.subscribe(`${receiver.url}/hooks`)
    const order = await tenant.insert({ customer: 'Ada', status: 'new' })
    await deliveries(tenant, id, 'delivered')
    const line = `INSERT of the order ${order.id} of Ada: new`
    expect(
      receiver
        .out()
        .split('\n')
        .filter((one) => one === line),
    ).toHaveLength(1)
    await receiver.stop()

    receiver = await world.start('express-receiver', { WEBHOOK_SECRETS: secrets })
    expectStatus(200, await tenant.webhooks(`PATCH /${id}`, { url: `${receiver.url}/hooks` }))
    await redeliver(tenant, id)
    const [again] = await deliveries(tenant, id, 'delivered', 2)
    expect(again).toMatchObject({ httpStatus: 204 })
    await expectRefused(tenant, `${receiver.url}/hooks`)
    expect(receiver.out()).not.toMatch(/Ada|somebody else/)
  })
})

describe('fastify-receiver', () => {
  it('counts an order once, and refuses a wrong signature', async () => {
    const tenant = await newTenant()
    const receiver = await world.start('fastify-receiver', { WEBHOOK_SECRETS: secrets })
    const { id } = await tenant.subscribe(`${receiver.url}/hooks`)
    for (const customer of ['Ada', 'Ada', 'Grace']) await tenant.insert({ customer })
    await deliveries(tenant, id, 'delivered', 3)
    await redeliver(tenant, id)
    await deliveries(tenant, id, 'delivered', 4)
    await expectRefused(tenant, `${receiver.url}/hooks`)
    // The subscription with the right secret got Mallory's order as well.
    await deliveries(tenant, id, 'delivered', 5)
    expect((await call(receiver, '/counts')).body).toEqual({ Ada: 2, Grace: 1, Mallory: 1 })
  })
})

describe('publisher', () => {
  it.each(['HTTP', 'Kafka'])('publishes the changes of its table over %s', async (transport) => {
    const tenant = await world.tenant()
    const listener = await world.listen(tenant, { table: 'invoices' })
    const { kafkaBrokers, schemaRegistryUrl } = world.system.endpoints
    const access =
      transport === 'HTTP'
        ? { SUREHOOK_URL: world.url, SUREHOOK_TOKEN: tenant.token }
        : { KAFKA_BROKERS: kafkaBrokers, SCHEMA_REGISTRY_URL: schemaRegistryUrl }
    const variables = {
      ...access,
      SUREHOOK_PROJECT: tenant.projectId,
      // The other publisher still runs, and would publish from the same outbox.
      DATABASE: `${transport}.sqlite`,
    }
    const publisher = await world.start('publisher', variables)
    const issue = { method: 'POST', body: { amount: '99.50' } } as const
    const { status, body: invoice } = await call(publisher, '/invoices', issue)
    expect(status).toBe(201)
    const paid = await call(publisher, `/invoices/${invoice.id}/payment`, { method: 'POST' })
    expect(paid).toMatchObject({ status: 200, body: { id: invoice.id, amount: '99.50' } })
    expect(await listener.arrived(2)).toMatchObject([
      { event: 'INSERT', record: invoice },
      { event: 'UPDATE', record: paid.body, changed_fields: ['paidAt'] },
    ])
    const twice = await call(publisher, `/invoices/${invoice.id}/payment`, { method: 'POST' })
    expect(twice.status).toBe(404)
  })
})

describe('token-verifier', () => {
  it('accepts tokens of its environment, and asks for a role', async () => {
    const [[, transport]] = transports as readonly [(typeof transports)[0]]
    const mailbox = { nextCode: () => Promise.reject(new Error('no mail')), count: () => 0 }
    const parts = { system: world.system, transport, mailbox }
    const tenant = await AuthTenant.create(parts, trusting)
    const stranger = await (await AuthTenant.create(parts, trusting)).newUser()
    const { session } = await tenant.newUser()
    expectStatus(201, await tenant.admin('POST', '/roles', { name: 'accountant' }))
    await tenant.configure({ ...trusting.auth, defaultRole: 'accountant' })
    const accountant = await tenant.newUser()
    const variables = { SUREHOOK_URL: world.url, SUREHOOK_PROJECT: tenant.projectId }
    const api = await world.start('token-verifier', variables)

    const me = await call(api, '/me', { token: session.accessToken })
    expect(me).toEqual({ status: 200, body: { user: session.user.id, roles: [] } })
    const statuses: (number | undefined)[] = []
    for (const token of [session.accessToken, accountant.session.accessToken]) {
      statuses.push((await call(api, '/reports', { token })).status)
    }
    expect(statuses).toEqual([403, 200])
    const changed = session.accessToken.replace(/.{4}$/, 'AAAA')
    for (const token of [changed, stranger.session.accessToken]) {
      expect(await call(api, '/me', { token })).toMatchObject({
        status: 401,
        body: { error: 'AUTH_TOKEN_INVALID' },
      })
    }
    expect((await call(api, '/me')).status).toBe(401)
  })
})

describe('infrastructure', () => {
  it('its workflow plans a pull request, and applies a merge once', async () => {
    const tenant = await createTenant(world.system)
    const variables = {
      SUREHOOK_URL: world.url,
      SUREHOOK_PROJECT: tenant.projectId,
      SUREHOOK_ENVIRONMENT: tenant.environment,
      SUREHOOK_TOKEN: tenant.token,
      BILLING_SECRET: 'the secret of the billing service',
      WAREHOUSE_SECRET: 'the secret of the warehouse',
    }
    const jobs = await jobsOf('infrastructure/.github/workflows/surehook.yml')
    const run = async (job: 'plan' | 'apply') => {
      const [install, step = '', ...others] = jobs[job].steps.flatMap((one) => one.run ?? [])
      // The test has installed it.
      expect([install, others]).toEqual(['npm install', []])
      const { code, out } = await world.run('infrastructure', step, variables)
      expect(out).not.toContain('the secret of')
      return [code, out]
    }
    expect(await run('plan')).toEqual([0, expect.stringContaining('5 to create, 0 to change')])
    expect(await tenant.webhooks('GET')).toMatchObject({ body: { webhooks: [] } })
    expect(await run('apply')).toEqual([0, expect.stringContaining('created subscription billing')])
    const { webhooks } = await tenant.subscriptions()
    expect(webhooks.map(({ url }) => url).toSorted()).toEqual([
      'https://billing.example.com/hooks',
      'https://warehouse.example.com/hooks',
    ])
    const nothing = [0, expect.stringContaining('The environment is as the file says')]
    expect([await run('plan'), await run('apply')]).toEqual([nothing, nothing])
  })
})

type Jobs = Record<'plan' | 'apply', { steps: { run?: string }[] }>

async function jobsOf(workflow: string): Promise<Jobs> {
  const text = await readFile(`${repoRoot}/examples/${workflow}`, 'utf8')
  return (parse(text) as { jobs: Jobs }).jobs
}
