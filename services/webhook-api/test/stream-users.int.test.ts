import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, it } from '@jest/globals'
import type { AccessEntry } from '@surehook/contracts/http/data/access'
import { environmentsTopic } from '@surehook/contracts/topics'
import { fieldsOf, headersOf, send } from '@surehook/scripts/client/call'
import { openStream } from '@surehook/scripts/client/stream'
import { until } from '@surehook/testing/until'
import { type ChangeFields, logChanges } from './support/changes.ts'
import { publishTable } from './support/tables.ts'
import type { Tenant } from './support/under-test.ts'
import { useFewStreams } from './support/use-few-streams.ts'

const under = useFewStreams()

const ann = '0199aaaa-0000-7000-8000-000000000001'
const bob = '0199aaaa-0000-7000-8000-000000000002'
const columns = { owner: 'uuid', title: 'text', secret: 'text' }
const own: AccessEntry = { role: '*', where: { owner: '$user.id' }, columns: ['title'] }

const publish = (name: string, read: readonly AccessEntry[]) =>
  publishTable(under.world, under.tenant, { name, columns, read })

type TokenOptions = Parameters<typeof under.world.issuer.token>[1]

async function user(options: TokenOptions = {}): Promise<Tenant> {
  const token = await under.world.issuer.token(under.tenant, { sub: ann, ...options })
  return { ...under.tenant, token }
}

const ask = (by: Tenant, query = '') =>
  send(under.service.api, `GET /api/rest/_stream${query}`, { headers: headersOf(by) })

const note = (id: string, owner: string, more: ChangeFields = {}): ChangeFields => ({
  table: 'notes',
  recordId: id,
  ...more,
  record: { id, owner, title: `of ${owner}`, secret: 'x', ...more.record },
})
const moved = (id: string, from: string, to: string): ChangeFields =>
  note(id, to, {
    operation: 'UPDATE',
    changedFields: ['owner'],
    previous: JSON.stringify({ owner: from }),
  })
const log = (changes: readonly ChangeFields[]) => logChanges(under.world, under.tenant, changes)

type Body = { event: string; table: string; record: { id: string }; changed_fields: string[] }
const seen = (events: readonly { data: string }[]) =>
  events.map(({ data }) => {
    const { event, record } = JSON.parse(data) as Body
    return [event, record] as const
  })

beforeEach(() => publish('notes', [own]))

describe('the stream of a user', () => {
  it('has the records and columns that the rules of the table show', async () => {
    using stream = await openStream(under.service.api, await user())
    using manager = await openStream(under.service.api, under.tenant)
    const recordId = '1'
    await log([note(recordId, ann), note(recordId, bob), moved(recordId, ann, bob)])
    await log([note(recordId, bob, { operation: 'DELETE' }), moved(recordId, bob, ann)])
    await log([note(recordId, ann, { operation: 'DELETE' })])
    await stream.arrived(4)
    const shown = { id: '1', title: `of ${ann}` }
    expect(seen(stream.events)).toEqual([
      ['INSERT', shown],
      ['DELETE', { id: '1' }],
      ['UPDATE', shown],
      ['DELETE', shown],
    ])
    await manager.arrived(6)
    expect(JSON.stringify(manager.events)).not.toContain('previous')
  })

  it('has as a page what it has as events', async () => {
    await log([note('1', ann), moved('1', ann, bob), note('2', bob)])
    const { text } = await ask(await user(), '?format=ndjson&from=1h')
    const lines = text.split('\n').filter((line) => line !== '')
    const bodies = lines.map((line) => ({ data: (JSON.parse(line) as { body: string }).body }))
    expect(seen(bodies)).toEqual([
      ['INSERT', { id: '1', title: `of ${ann}` }],
      ['DELETE', { id: '1' }],
    ])
  })

  it('has no table without access, and none of the platform', async () => {
    await publish('hidden', ['other'])
    await publish('open', ['*'])
    using stream = await openStream(under.service.api, await user())
    const tables = ['hidden', 'users', '_webhooks', 'unknown', 'open']
    await log(tables.map((table) => note('1', ann, { table })))
    await stream.arrived(1)
    expect(stream.events.map(({ data }) => (JSON.parse(data) as Body).table)).toEqual(['open'])
  })

  it('has the changes of a table that appears later', async () => {
    using stream = await openStream(under.service.api, await user())
    await publish('late', ['*'])
    await log([note('1', bob, { table: 'late' })])
    await stream.arrived(1)
  })

  it.each(['hidden', 'unknown', 'users', '_deliveries'])('is refused for %s', async (table) => {
    await publish('hidden', ['other'])
    const { status, body } = await ask(await user(), `?table=notes,${table}`)
    expect([status, body.error]).toEqual([403, 'FORBIDDEN'])
  })

  it('cannot be filtered by a hidden column', async () => {
    const filter = encodeURIComponent(JSON.stringify({ secret: 'x' }))
    const answer = await ask(await user(), `?table=notes&filter=${filter}`)
    expect([answer.status, fieldsOf(answer)]).toEqual([400, ['filter.secret']])
  })

  it('shows by an attribute what the user may read, and ends when it changes', async () => {
    const { values } = under.world.issuer
    const [caller, sub] = [await user(), randomUUID()]
    const valued = await user({ sub })
    await publish('teams', [{ role: '*', where: { title: '$user.team' } }])
    values.set(sub, { email: 'ann@shop.example', attributes: { team: 'north' } })
    const inTeam = (title: string): ChangeFields => ({
      table: 'teams',
      recordId: title,
      record: { id: title, title },
    })
    using other = await openStream(under.service.api, caller)
    using stream = await openStream(under.service.api, valued)
    await log([inTeam('south'), inTeam('north'), note('1', ann)])
    await stream.arrived(1)
    expect(seen(stream.events)).toEqual([['INSERT', { id: 'north', title: 'north' }]])
    values.set(sub, { email: 'ann@shop.example', attributes: { team: 'south' } })
    await log([{ table: 'users', recordId: sub, operation: 'UPDATE' }])
    await stream.ended()
    expect(stream.comments.at(-1)).toBe('access')
    using resumed = await openStream(under.service.api, valued, { query: '?table=teams&from=1h' })
    await resumed.arrived(1)
    expect(seen(resumed.events)).toEqual([['INSERT', { id: 'south', title: 'south' }]])
    await other.arrived(1)
    expect(seen(other.events)).toEqual([['INSERT', { id: '1', title: `of ${ann}` }]])
  })

  it('is refused with a token that is not valid', async () => {
    const sid = randomUUID()
    const caller = await user({ sid })
    await under.world.issuer.revoke(under.tenant, sid)
    expect((await ask(caller)).body.error).toBe('AUTH_TOKEN_INVALID')
    const other = await under.world.tenant()
    expect((await ask({ ...other, token: (await user()).token })).status).toBe(401)
  })
})

describe('the stream of a user ends', () => {
  let sid: string
  beforeEach(() => {
    sid = randomUUID()
  })
  const endings: [string, () => Promise<void>][] = [
    ['its session is ended', () => under.world.issuer.revoke(under.tenant, sid)],
    ['its roles change', () => under.world.issuer.revoke(under.tenant, sid, 2)],
    ['the rules of its table change', () => publish('notes', ['other'])],
    [
      'its environment admits no users',
      () => under.world.setUp(under.tenant, { auth: { enabled: false } }),
    ],
    ['the keys are replaced', () => under.world.setUp(under.tenant, {}, 1)],
    [
      'its environment is deleted',
      () => {
        const key = `${under.tenant.projectId}/${under.tenant.environment}`
        return under.world.producer.send([{ topic: environmentsTopic, key, value: null }])
      },
    ],
  ]
  it.each(endings)('when %s', async (_what, end) => {
    const caller = await user({ sid })
    using stream = await openStream(under.service.api, caller, { query: '?table=notes' })
    using other = await openStream(under.service.api, under.tenant)
    await end()
    await stream.ended()
    expect(stream.comments.at(-1)).toBe('access')
    if (_what !== 'its environment is deleted') expect(other.end).toBeNull()
  })

  it('when its token expires', async () => {
    const caller = await user({ ttlS: 5 })
    using stream = await openStream(under.service.api, caller)
    await stream.ended()
    expect((await ask(caller)).body.error).toBe('AUTH_TOKEN_EXPIRED')
  })

  it('and shows under new rules nothing that they hide', async () => {
    await publish('notes', ['*'])
    const caller = await user()
    using stream = await openStream(under.service.api, caller)
    await log([note('1', bob)])
    await stream.arrived(1)
    const cursor = stream.lastEventId
    await log([note('2', bob), note('3', ann)])
    await stream.arrived(3)
    await publish('notes', [own])
    await stream.ended()
    using resumed = await openStream(under.service.api, caller, { lastEventId: cursor })
    await resumed.arrived(1)
    await log([note('4', ann)])
    await resumed.arrived(2)
    const records = ['3', '4'].map((id) => ['INSERT', { id, title: `of ${ann}` }])
    expect(seen(resumed.events)).toEqual(expect.arrayContaining(records))
    expect(resumed.events).toHaveLength(2)
  })
})

describe('the stream of a list', () => {
  const query = '?table=notes&list=true'
  async function viewOf(by: Tenant, lastEventId?: string) {
    using stream = await openStream(under.service.api, by, { query, lastEventId })
    await until(async () => stream.comments.length > 0, { what: 'the first block' })
    return [stream.comments[0], stream.lastEventId] as const
  }

  it('names what its caller may read', async () => {
    const [view, cursor] = await viewOf(await user())
    expect(view).toMatch(/^view [\w-]{16}$/)
    expect((await viewOf(await user(), cursor))[0]).toBe(view)
    const others = [await user({ sub: bob }), await user({ roles: ['staff'] }), under.tenant]
    const views = [view]
    for (const caller of others) views.push((await viewOf(caller))[0])
    await publish('notes', ['*'])
    views.push((await viewOf(await user(), cursor))[0])
    expect(new Set(views).size).toBe(5)
  })

  it('has no view without a table, and without the parameter', async () => {
    for (const other of ['?list=true', '?table=notes', '?table=notes&list=false']) {
      using stream = await openStream(under.service.api, await user(), { query: other })
      await log([note('1', ann)])
      await stream.arrived(1)
      expect(stream.comments).toEqual([])
    }
  })

  it('has a DELETE for a record that does not match the filter any more', async () => {
    const filter = encodeURIComponent(JSON.stringify({ title: `of ${ann}` }))
    const filtered = `${query}&filter=${filter}`
    using stream = await openStream(under.service.api, await user(), { query: filtered })
    using manager = await openStream(under.service.api, under.tenant, { query: filtered })
    const done = note('1', ann, { operation: 'UPDATE', record: { title: 'done' } })
    await log([note('1', ann), done, note('2', bob), note('3', ann)])
    for (const open of [stream, manager]) {
      await open.arrived(3)
      const events = seen(open.events)
      expect(events).toContainEqual(['INSERT', expect.objectContaining({ id: '3' })])
      // Only the changes of one record come in their order.
      expect(events.filter(([, record]) => record.id === '1')).toEqual([
        ['INSERT', expect.objectContaining({ title: `of ${ann}` })],
        ['DELETE', { id: '1' }],
      ])
    }
  })

  it('ends when its table changes, also for a management token', async () => {
    using stream = await openStream(under.service.api, under.tenant, { query })
    await publish('notes', ['other'])
    await stream.ended()
    expect(stream.comments.at(-1)).toBe('access')
  })
})

it('a user has a limit of streams, and another user has their own', async () => {
  using open = new DisposableStack()
  const [caller, other] = [await user(), await user({ sub: bob })]
  for (let n = 0; n < 3; n++) open.use(await openStream(under.service.api, caller))
  const refused = await ask(caller)
  expect([refused.status, refused.body.error]).toEqual([429, 'RATE_LIMIT_EXCEEDED'])
  using free = await openStream(under.service.api, other)
  expect(free.status).toBe(200)
  open.dispose()
  const isOpen = async () => {
    using stream = await openStream(under.service.api, caller)
    return stream.status === 200
  }
  await until(isOpen, { what: 'room for a stream', timeoutMs: 15_000 })
})

it('an installation without the address of auth-service refuses users', async () => {
  await using alone = await under.world.startService({ users: null })
  const { status } = await send(alone.api, 'GET /api/rest/_stream', {
    headers: headersOf(await user()),
  })
  expect(status).toBe(403)
})
