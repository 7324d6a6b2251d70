import { createHmac } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { Surehook } from '@surehook/client'
import type { Tenant } from '@surehook/scripts/client/tenant'
import { type CliAnswer, surehookReading } from '../support/commands/operator-cli.ts'
import { newPath } from '../support/listening-world.ts'
import { openSharedWorld, type SharedWorld } from '../support/shared/shared-world.ts'

let world: SharedWorld
let dir: string
let staging: Tenant
let production: Tenant
const outputs: string[] = []

/** Values that no output may hold. */
const secrets = {
  BILLING_SECRET: 'the-first-secret-of-billing',
  BILLING_AUTHORIZATION: 'Bearer the-token-of-billing-4f1c',
  BILLING_TOKEN: 'the-token-of-billing-4f1c',
  ORDERS_SECRET: 'a-secret-without-any-name',
  SLACK_CHAT_URL: 'https://hooks.slack.com/services/T1/B1/the-secret-of-the-chat',
}

beforeAll(async () => {
  world = await openSharedWorld()
  dir = await mkdtemp(join(tmpdir(), 'surehook-apply-'))
  staging = await world.tenant({ environment: 'staging' })
  production = await world.tenant({ projectId: staging.projectId, environment: 'production' })
})
afterAll(async () => {
  await world?.[Symbol.asyncDispose]()
  if (dir !== undefined) await rm(dir, { recursive: true })
})

const clientOf = ({ projectId, environment, token }: Tenant) =>
  new Surehook({ baseUrl: world.system.baseUrl, projectId, environment, token })

type Run = { tenant?: Tenant; env?: NodeJS.ProcessEnv; input?: string }

async function run(args: string[], { tenant = staging, env = secrets, input = '' }: Run = {}) {
  const variables = {
    XDG_CONFIG_HOME: dir,
    SUREHOOK_URL: world.system.baseUrl,
    SUREHOOK_PROJECT: tenant.projectId,
    SUREHOOK_ENVIRONMENT: tenant.environment,
    SUREHOOK_TOKEN: tenant.token,
    ...env,
  }
  const answer = await surehookReading(input, variables, ...args)
  outputs.push(answer.out, answer.notes)
  return answer
}

async function apply(content: string, args: string[] = [], of: Run = {}): Promise<CliAnswer> {
  const file = join(dir, 'surehook.yaml')
  await writeFile(file, content)
  return run(['apply', file, ...args], of)
}

const shop = ({ url, tables = '', filter = 'total: { gte: "10.50" }' }: ShopOptions) => `
version: 2
roles:
  clerk: { selfAssignable: true }
tables:
  orders:
    columns:
      total: { type: decimal, required: true }
      status: { type: text, default: new }
    access: { read: [clerk], create: [clerk] }
${tables}
subscriptions:
  - key: billing
    name: Billing of ACME
    table: orders
    events: [INSERT]
    url: ${url}
    secret: \${BILLING_SECRET}
    filter: { ${filter} }
    policy: { headers: { Authorization: "Bearer \${BILLING_TOKEN}" }, retryDelays: [1s, 5s] }
`
type ShopOptions = { url: string; tables?: string; filter?: string }

async function expectDelivery(path: string, secret: string): Promise<void> {
  const record = await clientOf(staging).table('orders').create({ total: '12.50' })
  const [receipt] = await world.receiver.waitFor(path, 1)
  if (receipt === undefined) throw new Error('nothing came')
  const { headers, body } = receipt
  expect(JSON.parse(body)).toMatchObject({ table: 'orders', record: { id: record.id } })
  const signature = createHmac('sha256', secret).update(body).digest('hex')
  expect(headers['x-service-signature']).toContain(signature)
  expect(headers['authorization']).toBe(secrets.BILLING_AUTHORIZATION)
}

const [first, second] = [newPath(), newPath()]
const urlOf = (path: string) => world.receiver.url(path)

it('does nothing before every fault is named, and before somebody agrees', async () => {
  const file = shop({ url: urlOf(first) })
  const missing = await apply(file, ['--yes'], { env: {} })
  expect([missing.code, missing.out]).toEqual([1, ''])
  expect(missing.notes.split('\n')).toEqual([
    expect.stringMatching(/surehook.yaml:18: .*secret: the variable BILLING_SECRET is not set$/),
    expect.stringMatching(
      /surehook.yaml:20: .*Authorization: the variable BILLING_TOKEN is not set$/,
    ),
  ])
  const unasked = await apply(file)
  expect([unasked.code, unasked.notes]).toEqual([2, expect.stringContaining('--yes')])
  const dry = await apply(file, ['--dry-run'])
  expect([dry.code, dry.out]).toEqual([4, expect.stringContaining('3 to create')])
  expect(await clientOf(staging).tables.list()).toEqual([])
})

it('applies a file once: the receiver gets deliveries with the secrets of the variables', async () => {
  const file = shop({ url: urlOf(first) })
  const applied = await apply(file, ['--yes'])
  expect(applied).toMatchObject({ code: 0 })
  expect(applied.notes.split('\n')).toEqual([
    'created role clerk',
    'created table orders',
    'created subscription billing',
  ])
  await expectDelivery(first, secrets.BILLING_SECRET)
  for (const args of [
    ['--yes', '--json'],
    ['--dry-run', '--json'],
  ]) {
    const again = await apply(file, args)
    expect([again.code, again.json()]).toEqual([
      0,
      expect.objectContaining({ done: [], notDone: [] }),
    ])
  }
})

it('changes a subscription in place, and sees what somebody else changed', async () => {
  const { webhooks } = clientOf(staging)
  const before = (await webhooks.list()).webhooks
  const env = { ...secrets, BILLING_SECRET: 'the-second-secret-of-billing' }
  const file = shop({ url: urlOf(second), filter: 'status: new' })
  const changed = await apply(file, ['--yes', '--json'], { env })
  expect(changed.json()).toMatchObject({
    done: [
      {
        action: 'update',
        name: 'billing',
        changes: [
          { field: 'url', before: urlOf(first), after: urlOf(second) },
          { field: 'filter' },
          { field: 'secret', hidden: true },
        ],
      },
    ],
  })
  const after = (await webhooks.list()).webhooks
  expect(after).toMatchObject([
    { id: before[0]?.id, url: urlOf(second), filter: { status: 'new' } },
  ])
  await expectDelivery(second, 'the-second-secret-of-billing')

  await webhooks.rotateSecret(after[0]?.id ?? '', { secret: 'secret-of-a-stranger' })
  const drift = await apply(file, ['--dry-run'], { env })
  expect([drift.code, drift.out.split('\n').slice(0, 2)]).toEqual([
    4,
    ['~ subscription billing', '    ~ secret: (hidden)'],
  ])
  expect((await apply(shop({ url: urlOf(first) }), ['--yes'])).code).toBe(0)
})

it('stops at a refusal, says what was done, and continues', async () => {
  const tables = '  parcels: { columns: { weight: { type: double } } }'
  const refused = await apply(shop({ url: urlOf(first), tables, filter: 'totl: 1' }), ['--yes'])
  expect(refused.code).toBe(1)
  expect(refused.notes).toMatch(/^created table parcels\nfailed: update subscription billing\n400 /)
  expect(refused.notes).toContain('filter.totl')
  const fixed = await apply(shop({ url: urlOf(first), tables }), ['--yes'])
  expect([fixed.code, fixed.out]).toEqual([0, 'The environment is as the file says.'])
})

it('deletes only with --prune, and records only with --allow-data-loss', async () => {
  await clientOf(staging).table('parcels').create({ weight: 1 })
  const file = shop({ url: urlOf(first) })
  const kept = await apply(file, ['--yes'])
  expect([kept.code, kept.out]).toEqual([0, expect.stringContaining('    table parcels')])
  const refused = await apply(file, ['--yes', '--prune'])
  expect([refused.code, refused.out]).toEqual([1, expect.stringContaining('--allow-data-loss')])
  const pruned = await apply(file, ['--yes', '--prune', '--allow-data-loss'])
  expect([pruned.code, pruned.notes]).toEqual([0, 'deleted table parcels'])
  expect((await clientOf(staging).tables.list()).map(({ name }) => name)).toEqual(['orders'])
})

it('takes rules and the preset owner, and shows what a role may do', async () => {
  const file = shop({
    url: urlOf(first),
    tables: `
  tasks: { columns: { title: { type: text } }, access: owner }
  cases:
    columns: { team: { type: text }, cost: { type: decimal } }
    access:
      read: [{ role: clerk, where: { team: { in: $user.roles } }, columns: [team] }, boss]`,
  })
  expect((await apply(file, ['--yes'])).code).toBe(0)
  const again = await apply(file, ['--dry-run'])
  expect([again.code, again.out]).toEqual([0, 'The environment is as the file says.'])
  const wrong = await apply(file.replace('team: { in:', 'crew: { in:'), ['--yes'])
  expect([wrong.code, wrong.notes]).toEqual([
    1,
    expect.stringContaining('access.read.0.where.crew'),
  ])
  const { out } = await run(['tables', 'access', 'cases', '--role', 'clerk'])
  expect(out.split('\n').map((line) => line.split(/ {2,}/))).toEqual([
    ['action', 'role', 'records', 'columns', 'sets'],
    ['read', 'clerk', '{"team":{"in":"$user.roles"}}', 'team', '-'],
    ...['create', 'update', 'delete'].map((action) => [action, '-', '-', '-', '-']),
  ])
  const types = await run(['types', '--role', 'clerk'])
  expect(types.out).toContain('team: string | null')
  expect(types.out).not.toContain('cost')
})

it('exports a file that differs in nothing, also with a subscription without a key', async () => {
  const { webhooks } = clientOf(staging)
  await webhooks.create({
    table: 'orders',
    events: ['DELETE'],
    url: urlOf('/unnamed'),
    secret: secrets.ORDERS_SECRET,
    active: false,
  })
  const exported = await run(['export'])
  expect(exported.code).toBe(0)
  expect(exported.notes).toMatch(/ORDERS_SECRET.*BILLING_SECRET, BILLING_AUTHORIZATION/)
  const same = await run(['apply', '-', '--prune'], { input: exported.out })
  expect([same.code, same.out]).toEqual([0, 'The environment is as the file says.'])
})

it('makes a second environment like the first, and leaves the first', async () => {
  const { out: input } = await run(['export'])
  const before = await clientOf(staging).webhooks.list()
  const applied = await run(['apply', '-', '--yes'], { tenant: production, input })
  expect(applied.code).toBe(0)
  const exported = await run(['export'], { tenant: production })
  expect(exported.out).toBe(input)
  expect(await clientOf(staging).webhooks.list()).toEqual(before)
})

it('names who gets alerts, with the administration token, and shows no URL of a chat', async () => {
  const file = `version: 2
notify: { emails: [ops@example.com], chats: [{ url: "\${SLACK_CHAT_URL}" }] }
`
  const refused = await apply(file, ['--yes'])
  expect([refused.code, refused.notes]).toEqual([
    2,
    expect.stringContaining('SUREHOOK_ADMIN_TOKEN or --admin-token-file'),
  ])
  const env = { ...secrets, SUREHOOK_ADMIN_TOKEN: world.system.adminToken }
  const applied = await apply(file, ['--yes'], { env })
  expect([applied.code, applied.notes]).toEqual([0, 'updated notify settings'])
  expect(applied.out).toContain('url: https://hooks.slack.com/…chat')
  const exported = await run(['export'], { env })
  expect(exported.notes).toContain('SLACK_CHAT_URL')
  const same = await run(['apply', '-'], { env, input: exported.out })
  expect([same.code, same.out]).toEqual([0, 'The environment is as the file says.'])
  expect((await run(['export'])).notes).toContain('may not read it: notify')
})

it('writes types, and knows when they are out of date', async () => {
  const types = ['types', '--out', join(dir, 'types.ts')]
  expect((await run([...types, '--check'])).code).toBe(4)
  expect((await run(types)).code).toBe(0)
  expect((await run([...types, '--check'])).code).toBe(0)
  expect((await run([...types, '--check'], { tenant: production })).code).toBe(0)
  const text = await readFile(join(dir, 'types.ts'), 'utf8')
  expect(text).toContain('export type Order = {')
  await clientOf(production).tables.put('parcels', { columns: [] })
  const outdated = await run([...types, '--check'], { tenant: production })
  expect([outdated.code, outdated.notes]).toEqual([4, expect.stringContaining('out of date')])
})

it('printed no secret', () => {
  expect(outputs.length).toBeGreaterThan(20)
  expect(outputs.join('\n')).not.toMatch(/secret-of|secret-without|token-of-billing/)
})
