import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { Webhook } from 'standardwebhooks'
import { type CliAnswer, surehook, surehookReading } from '../support/commands/operator-cli.ts'
import { newPath } from '../support/listening-world.ts'
import { eventually, openWorld, type World } from '../support/world.ts'

let world: World
let home: string
/** A developer's variables: only the place of the profile. */
let env: NodeJS.ProcessEnv

beforeAll(async () => {
  // The circuit stays open until the developer closes it.
  world = await openWorld({ env: { WEBHOOK_CIRCUIT_COOLDOWN: '1h' } })
  home = await mkdtemp(join(tmpdir(), 'surehook-home-'))
  env = { XDG_CONFIG_HOME: home }
})
afterAll(async () => {
  await world?.[Symbol.asyncDispose]()
  if (home !== undefined) await rm(home, { recursive: true })
})

type Fields = Record<string, unknown>

/** Runs a command as the developer, and expects that it succeeds. */
async function run(...args: string[]): Promise<CliAnswer> {
  const answer = await surehook(env, ...args)
  const { code, notes } = answer
  expect({ args, code, notes }).toEqual({ args, code: 0, notes: expect.any(String) })
  return answer
}

const one = async (...args: string[]) => (await run(...args, '--json')).json() as Fields
const linesOf = ({ out }: CliAnswer) =>
  out
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Fields)
const list = async (...args: string[]) => linesOf(await run(...args, '--json'))

const search = (...args: string[]) => list('deliveries', 'search', ...args)
const found = (count: number, ...args: string[]) =>
  eventually(
    () => search(...args),
    (deliveries) => deliveries.length === count,
  )

it("plays a developer's day", async () => {
  const { baseUrl } = world.system
  const tenant = await world.tenant()
  const { projectId, environment, token } = tenant

  // Login: the token comes from the standard input and appears nowhere.
  const login = ['login', '--url', baseUrl, '--project', projectId, '--environment', environment]
  const wrong = await surehookReading('mt_unknown', env, ...login)
  expect(wrong).toMatchObject({ code: 1, out: '' })
  expect(wrong.notes).toMatch(/^401 MANAGEMENT_TOKEN_INVALID.*\n {2}request \S+$/)
  const logged = await surehookReading(`${token}\n`, env, ...login)
  const rights = 'as "default" (records, sources, tables, users, webhooks)'
  expect(logged).toMatchObject({ code: 0, out: expect.stringContaining(rights) })
  const file = join(home, 'surehook', 'profiles.json')
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  expect(await readFile(file, 'utf8')).toContain(token)
  const profiles = await run('profiles', 'list', '--json')
  expect(profiles.json()).toMatchObject({ name: 'default', project: projectId, current: true })
  expect(`${logged.out}${profiles.out}`).not.toContain(token)
  expect(await list('projects', 'list')).toEqual([{ id: projectId, environments: [environment] }])

  // A table and a webhook, whose receiver fails. The secret is shown this once.
  const columns = {
    columns: [
      { name: 'status', type: 'text' },
      { name: 'n', type: 'integer' },
    ],
  }
  const created = await surehookReading(JSON.stringify(columns), env, 'tables', 'create', 'orders')
  expect(created).toMatchObject({ code: 0, out: expect.stringMatching(/status +text/) })
  expect(await list('tables', 'list')).toMatchObject([{ name: 'orders' }])
  const path = newPath()
  world.receiver.answer(path, () => ({ status: 500, body: 'out of order' }))
  const to = world.receiver.url(path)
  const made = await one('webhooks', 'create', '--table', 'orders', '--to', to)
  const { id: webhook, secret } = made as { id: string; secret: string }
  expect(secret).toMatch(/^whsec_/)
  expect((await run('webhooks', 'show', webhook, '--json')).out).not.toContain(secret)

  // The tail shows the delivery when it has failed.
  const tail = run('tail', '--failed', '--since', '1h', '--exit-after', '1', '--json')
  const order = await one('records', 'create', 'orders', '--data', '{"status":"new","n":1}')
  const [failed] = linesOf(await tail)
  const { id: delivery, eventId } = failed as { id: string; eventId: string }
  expect(failed).toMatchObject({
    status: 'dead_letter',
    webhookId: webhook,
    recordId: order['id'],
    httpStatus: 500,
  })
  expect(await search('--status', 'dead_letter', '--table', 'orders')).toMatchObject([failed ?? {}])
  expect(await search('--http-status', '503')).toEqual([])
  const detail = await one('deliveries', 'show', webhook, delivery)
  expect(detail['attemptLog']).toHaveLength(5)
  const shown = await run('deliveries', 'show', webhook, delivery)
  expect(shown.out).toMatch(/dead_letter[\s\S]*out of order[\s\S]*"status":"new"/)
  const [receipt] = world.receiver.receipts(path)
  const headers = receipt?.headers as Record<string, string>
  expect(new Webhook(secret).verify(receipt?.body ?? '', headers)).toMatchObject({ id: eventId })
  const explained = await one('events', 'explain', eventId)
  expect(explained).toMatchObject({ webhooks: [{ webhookId: webhook, outcome: 'dead_letter' }] })

  // The circuit is open. The developer cancels what waits, repairs the receiver, and closes it.
  await run('records', 'create', 'orders', '--data', '{"n":2}')
  await found(1, '--status', 'paused')
  const [endpoint] = await list('endpoints', 'list')
  expect(endpoint).toMatchObject({ circuit: 'open' })
  const cancel = ['deliveries', 'cancel', webhook, '--status', 'paused']
  expect(await one(...cancel)).toEqual({ count: 1 })
  await found(1, '--status', 'cancelled')
  world.receiver.answer(path, () => ({ status: 204 }))
  const third = await one('records', 'create', 'orders', '--data', '{"n":3}')
  await found(1, '--status', 'paused')
  await run('endpoints', 'close', String(endpoint?.['id']))
  await found(1, '--status', 'delivered', '--record', String(third['id']))

  // What failed is sent again in three ways.
  expect(await one('recover', webhook, '--since', '1h')).toEqual({ count: 1 })
  await found(2, '--status', 'delivered')
  const again = await one('deliveries', 'redeliver', webhook, delivery)
  await found(3, '--status', 'delivered')
  expect(await one('deliveries', 'show', webhook, String(again['deliveryId']))).toMatchObject({
    status: 'delivered',
    redeliveryOf: delivery,
  })
  const replay = await one('replay', webhook, '--from', '1h', '--wait')
  expect(replay).toMatchObject({ state: 'done', deliveries: 3 })
  const ended = linesOf(await run('tail', '--since', '1h', '--exit-after', '8', '--json'))
  expect(new Set(ended.map(({ id }) => id)).size).toBe(8)
  expect(await one('webhooks', 'stats', webhook)).toMatchObject({ counts: { deadLetter: 1 } })

  // Another project's token sees nothing of all this.
  const other = await world.tenant()
  const stranger = {
    SUREHOOK_URL: baseUrl,
    SUREHOOK_PROJECT: other.projectId,
    SUREHOOK_ENVIRONMENT: other.environment,
    SUREHOOK_TOKEN: other.token,
  }
  for (const words of ['deliveries search', 'webhooks list', 'tables list', 'endpoints list']) {
    const nothing = await surehook(stranger, ...words.split(' '), '--json')
    expect({ words, ...nothing }).toMatchObject({ code: 0, out: '' })
  }
  for (const words of [
    ['webhooks', 'show', webhook],
    ['webhooks', 'delete', webhook],
    ['deliveries', 'show', webhook, delivery],
    ['deliveries', 'redeliver', webhook, delivery],
    cancel.slice(0),
    ['endpoints', 'close', String(endpoint?.['id'])],
    ['events', 'explain', eventId],
    ['records', 'list', 'orders'],
  ]) {
    const refused = await surehook(stranger, ...words, '--json')
    expect({ words, code: refused.code }).toEqual({ words, code: 1 })
    expect(refused.json()).toMatchObject({ status: 404, requestId: expect.any(String) })
  }
  const mixed = await surehook({ ...stranger, SUREHOOK_TOKEN: token }, 'tables', 'list')
  expect(mixed).toMatchObject({ code: 1, notes: expect.stringContaining('403 FORBIDDEN') })
})

/** Logs in to a new project under the name of a profile, and resolves with commands of it. */
async function logIn(profile: string) {
  const { projectId, environment, token } = await world.tenant()
  const login = ['login', '--url', world.system.baseUrl, '--project', projectId]
  const names = ['--environment', environment, '--profile', profile]
  expect(await surehookReading(token, env, ...login, ...names)).toMatchObject({ code: 0 })
  return {
    projectId,
    token,
    run: (...args: string[]) => run(...args, '--profile', profile),
    one: (...args: string[]) => one(...args, '--profile', profile),
  }
}

it('names the field and the request of a refusal, and knows when nobody answers', async () => {
  const { token } = await logIn('refused')
  const create = ['webhooks', 'create', '--table', 'orders', '--to', 'http://plain.example']
  const refused = await surehook(env, ...create)
  expect(refused).toMatchObject({ code: 1, out: '' })
  expect(refused.notes).toMatch(/^400 VALIDATION_ERROR: .*\n {2}url: .*\n {2}request \S+$/)
  const inJson = await surehook(env, ...create, '--json')
  expect(inJson.json()).toMatchObject({
    error: 'VALIDATION_ERROR',
    violations: [{ field: 'url' }],
    requestId: expect.any(String),
  })

  const away = { ...env, SUREHOOK_URL: 'http://127.0.0.1:2' }
  const nobody = await surehook({ ...away, SUREHOOK_TOKEN: token }, 'tables', 'list')
  expect(nobody).toMatchObject({ code: 3, notes: expect.stringContaining('cannot be reached') })
  // The token of a profile goes to no other system.
  const without = await surehook(away, 'tables', 'list')
  expect(without).toMatchObject({ code: 2, notes: expect.stringContaining('token is missing') })
})

it('changes records and tables', async () => {
  const shop = await logIn('records')
  const columns = JSON.stringify({ columns: [{ name: 'n', type: 'integer' }] })
  await shop.run('tables', 'create', 'orders', '--data', columns)
  await shop.run('records', 'create', 'orders', '--data', '[{"n":1},{"n":2},{"n":3}]')
  const query = ['records', 'list', 'orders', '--filter', '{"n":{"gte":2}}', '--order', '-n']
  const few = await shop.run(...query, '--limit', '1', '--json')
  expect(linesOf(few)).toMatchObject([{ n: 3 }])
  expect(few.notes).toContain('there are more')
  const record = ['orders', String(linesOf(few)[0]?.['id'])]
  expect(await shop.one('records', 'update', ...record, '--data', '{"n":4}')).toMatchObject({
    n: 4,
  })
  expect((await shop.run('records', 'get', ...record)).out).toMatch(/n +4/)
  await shop.run('records', 'delete', ...record)
  expect(linesOf(await shop.run(...query, '--json'))).toMatchObject([{ n: 2 }])
  await shop.run('tables', 'delete', 'orders', '--confirm', 'orders')
})

it('keeps secrets to itself, and changes a webhook', async () => {
  const shop = await logIn('webhooks')
  const path = newPath()
  const create = ['webhooks', 'create', '--table', 'orders', '--to', world.receiver.url(path)]
  const own = { ...env, SUREHOOK_WEBHOOK_SECRET: 'my own secret', SUREHOOK_PROFILE: 'webhooks' }
  const made = await surehook(own, ...create, '--events', 'INSERT', '--json')
  expect(made.out).not.toContain('my own secret')
  const webhook = String((made.json() as Fields)['id'])
  const rotated = await shop.run('webhooks', 'rotate-secret', webhook, '--overlap', '0s')
  const secret = /whsec_\S+/.exec(rotated.out)?.[0] ?? ''
  await shop.run('webhooks', 'test', webhook)
  const [receipt] = await world.receiver.waitFor(path, 1)
  const headers = receipt?.headers as Record<string, string>
  const test = { record: { test: true } }
  expect(new Webhook(secret).verify(receipt?.body ?? '', headers)).toMatchObject(test)
  await shop.run('webhooks', 'deactivate', webhook)
  expect((await shop.run('webhooks', 'list', '--active', 'false')).out).toContain(webhook)
  const change = ['--filter', '{"n":{"gt":1}}', '--events', 'INSERT,UPDATE']
  expect(await shop.one('webhooks', 'update', webhook, ...change)).toMatchObject({
    active: false,
    filter: { n: { gt: 1 } },
  })
  await shop.run('webhooks', 'delete', webhook)
  expect((await shop.run('webhooks', 'list')).out).toBe('no webhooks')
})

it('shows limits and projects, and forgets its tokens', async () => {
  const shop = await logIn('last')
  const scopes = [{ scope: 'project', quota: expect.any(Number) }, { scope: 'token' }]
  expect(await shop.one('limits', 'show')).toMatchObject({ data: scopes, webhooks: scopes })
  const { adminToken, baseUrl } = world.system
  const admin = { ...env, SUREHOOK_ADMIN_TOKEN: adminToken, SUREHOOK_URL: baseUrl }
  const projects = await surehook(admin, 'projects', 'list', '--limit', '100000', '--json')
  expect(linesOf(projects).map(({ id }) => id)).toContain(shop.projectId)

  await run('logout', '--all')
  expect(await readFile(join(home, 'surehook', 'profiles.json'), 'utf8')).not.toContain(shop.token)
  const out = await surehook(env, 'tables', 'list')
  expect(out).toMatchObject({ code: 2, notes: expect.stringContaining('surehook login') })
})
