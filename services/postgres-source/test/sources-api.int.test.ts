import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Source } from '@surehook/contracts/http/sources'
import type { Client } from '@surehook/scripts/client/call'
import { query } from '@surehook/testing/database'
import { until } from '@surehook/testing/until'
import { clientOf } from './support/client.ts'
import { openWorld, type Running, type World } from './support/under-test.ts'

let world: World
let running: Running

beforeAll(async () => {
  world = await openWorld()
  running = await world.startService()
})
afterAll(async () => {
  await running?.[Symbol.asyncDispose]()
  await world?.[Symbol.asyncDispose]()
})

const tenantClient = async (): Promise<Client> => clientOf(running.api, await world.tenant())
/** A name that never resolves (RFC 6761 §6.4). */
const url = 'postgresql://app:s3cret-word@db.invalid/shop'

test('a source is shown without its password, which is stored encrypted', async () => {
  const { call } = await tenantClient()
  const { status, body, text } = await call<Source>('PUT _sources/shop', { url })
  expect(status).toBe(200)
  expect(body).toMatchObject({
    ...{ name: 'shop', publication: 'surehook', walBudget: 2 ** 30, tables: [], gap: null },
    url: 'postgresql://app@db.invalid:5432/shop',
    slot: expect.stringMatching(/^surehook_[0-9a-f]{32}$/),
  })
  expect(text).not.toContain('s3cret')
  expect((await call('GET _sources')).text).not.toContain('s3cret')
  const stored = await query(world.config.databaseUrl, 'select * from postgres_source.source')
  expect(JSON.stringify(stored)).not.toContain('s3cret')
})

test('the same again changes nothing, and something else changes it', async () => {
  const { call } = await tenantClient()
  const { body: first } = await call<Source>('PUT _sources/shop', { url })
  const { body: again } = await call<Source>('PUT _sources/shop', { url })
  expect([again.updatedAt, again.slot]).toEqual([first.updatedAt, first.slot])
  const { body: changed } = await call<Source>('PUT _sources/shop', { url, publication: 'other' })
  expect([changed.publication, changed.slot]).toEqual(['other', first.slot])
  expect(changed.updatedAt > first.updatedAt).toBe(true)
})

test.each([
  [{ url: 'mysql://a:s3cret@b/c' }, 'url', 'invalid_format'],
  [{ url: 'postgresql://a:s3cret@10.0.0.1/c' }, 'url', 'invalid_value'],
  [{ url, walBudget: 1 }, 'walBudget', 'too_small'],
  [{ url, publication: 'x"; drop' }, 'publication', 'invalid_format'],
  [{ url, ca: 'not a certificate' }, 'ca', 'invalid_format'],
  [{}, 'url', 'required'],
])('%j is refused', async (input, field, rule) => {
  const { call } = await tenantClient()
  const { status, body, text } = await call('PUT _sources/shop', input)
  expect([status, body.violations?.map((of) => [of.field, of.rule])]).toEqual([
    400,
    [[field, rule]],
  ])
  expect(text).not.toContain('s3cret')
  expect((await call('GET _sources/shop')).status).toBe(404)
})

test('nobody sees or deletes the source of another project', async () => {
  const [own, other] = [await tenantClient(), await tenantClient()]
  await own.call('PUT _sources/shop', { url })
  expect((await other.call('GET _sources/shop')).body.error).toBe('NOT_FOUND')
  expect((await other.call('DELETE _sources/shop')).body.error).toBe('NOT_FOUND')
  expect((await other.call<{ sources: Source[] }>('GET _sources')).body.sources).toEqual([])
  expect((await own.call('GET _sources/shop')).status).toBe(200)
})

test('a token needs the right for sources', async () => {
  const tenant = await world.tenant()
  const token = await world.token(tenant.projectId, { rights: ['tables'] })
  const { call } = clientOf(running.api, { ...tenant, token })
  expect((await call('PUT _sources/shop', { url })).body.error).toBe('FORBIDDEN')
})

test('a project has at most 20 sources', async () => {
  const { call } = await tenantClient()
  const put = (n: number) => call(`PUT _sources/shop_${n}`, { url })
  const answers = await Promise.all(Array.from({ length: 22 }, (_, n) => put(n)))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(20)
  expect(answers.find(({ status }) => status !== 200)?.body.error).toBe('CONFLICT')
})

test('a source whose database is away is deleted at once, with the SQL that drops its slot', async () => {
  const { call } = await tenantClient()
  const { body: source } = await call<Source>('PUT _sources/shop', { url })
  const { status, body } = await call<{ sql: string[] }>('DELETE _sources/shop')
  expect([status, body.sql.join()]).toEqual([200, expect.stringContaining(source.slot)])
  expect((await call('GET _sources/shop')).status).toBe(404)
})

test('a source stays one database, at any address', async () => {
  const { call } = await tenantClient()
  await call('PUT _sources/shop', { url })
  const other = await call('PUT _sources/shop', { url: url.replace('/shop', '/other') })
  expect([other.status, other.body.error]).toEqual([409, 'CONFLICT'])
  const moved = await call('PUT _sources/shop', { url: url.replace('db.', 'db-2.') })
  expect(moved.status).toBe(200)
})

test('a replica with a new key encrypts the URLs again, so that the old one is not needed any more', async () => {
  await using own = await openWorld()
  await using old = await own.startService()
  const tenant = await own.tenant()
  await clientOf(old.api, tenant).call('PUT _sources/shop', { url })
  const sealed = async () =>
    String(
      (await query(own.config.databaseUrl, 'select url from postgres_source.source'))[0]?.['url'],
    )
  const [before, current] = [await sealed(), own.config.encryptionKeys[0]]
  const next = Buffer.alloc(32, 'next')
  await using _rolled = await own.startService({ encryptionKeys: [next, current] })
  await until(async () => (await sealed()) !== before)
  await using alone = await own.startService({ encryptionKeys: [next] })
  const { body } = await clientOf(alone.api, tenant).call<Source>('GET _sources/shop')
  expect(body.url).toBe('postgresql://app@db.invalid:5432/shop')
})
