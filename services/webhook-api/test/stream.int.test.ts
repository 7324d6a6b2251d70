import { describe, expect, it } from '@jest/globals'
import { environmentsTopic, managementTokensTopic } from '@surehook/contracts/topics'
import { buildBody } from '@surehook/matching/build-body'
import { fieldsOf, headersOf, send } from '@surehook/scripts/client/call'
import { openStream } from '@surehook/scripts/client/stream'
import { until } from '@surehook/testing/until'
import { type ChangeFields, logChanges } from './support/changes.ts'
import { publishTable } from './support/tables.ts'
import type { Tenant } from './support/under-test.ts'
import { fewStreams, useFewStreams } from './support/use-few-streams.ts'

const under = useFewStreams()

const ask = (query: string, by: Tenant = under.tenant, headers: Record<string, string> = {}) =>
  send(under.service.api, `GET /api/rest/_stream?${query}`, {
    headers: { ...headersOf(by), ...headers },
  })

type PageLine = { cursor: string; headers: Record<string, string>; body: string }

async function page(query: string): Promise<{ lines: PageLine[]; cursor: string }> {
  const { status, text, headers } = await ask(`format=ndjson&${query}`)
  if (status !== 200) throw new Error(`${status} ${text}`)
  const lines = text.split('\n').filter((line) => line !== '')
  return {
    lines: lines.map((line) => JSON.parse(line) as PageLine),
    cursor: headers.get('x-next-cursor') ?? '',
  }
}

const log = (changes: readonly ChangeFields[], of: Tenant = under.tenant) =>
  logChanges(under.world, of, changes)
const numbered = (count: number, more: ChangeFields = {}): ChangeFields[] =>
  Array.from({ length: count }, (_, n) => ({ ...more, record: { n } }))
const bodiesOf = (events: Awaited<ReturnType<typeof log>>) =>
  events.map((event) => buildBody(event, null).toString())
const sorted = (values: readonly string[]) => values.toSorted()

describe('a stream', () => {
  it('has the body of each change from now on, and of no other tenant', async () => {
    const other = await under.world.tenant()
    await log(numbered(3))
    using stream = await openStream(under.service.api, under.tenant)
    using neighbour = await openStream(under.service.api, other)
    const made = await log([...numbered(5), { table: 'users', operation: 'DELETE' }])
    await log(numbered(2), other)
    await log(numbered(2), { ...under.tenant, environment: 'other' })
    await Promise.all([stream.arrived(6), neighbour.arrived(2)])
    expect(sorted(stream.events.map(({ data }) => data))).toEqual(sorted(bodiesOf(made)))
    expect(stream.events.filter(({ event }) => event === 'DELETE')).toHaveLength(1)
    expect(neighbour.events).toHaveLength(2)
  })

  it('has the changes of one record in commit order, across past and present', async () => {
    const recordId = 'one'
    await log(numbered(300, { recordId }))
    using stream = await openStream(under.service.api, under.tenant, { query: '?from=1h' })
    for (let n = 0; n < 5; n++) await log(numbered(20, { recordId }))
    await stream.arrived(400)
    const numbers = stream.events.map(
      ({ data }) => (JSON.parse(data) as { data: { n: number } }).data.n,
    )
    const twenty = Array.from({ length: 20 }, (_, n) => n)
    const first = Array.from({ length: 300 }, (_, n) => n)
    expect(numbers).toEqual([...first, ...twenty, ...twenty, ...twenty, ...twenty, ...twenty])
  })

  it('has only what table, events, filter and select ask for', async () => {
    await publishTable(under.world, under.tenant, {
      name: 'orders',
      columns: { total: 'decimal', a: 'text' },
    })
    const filter = encodeURIComponent(JSON.stringify({ total: { gte: '9.5' } }))
    const query = `?table=orders&events=INSERT,DELETE&filter=${filter}&select=total`
    using stream = await openStream(under.service.api, under.tenant, { query })
    await log([
      { record: { total: '10.00', a: 'x' } },
      { record: { total: '9.4', a: 'x' } },
      { record: { total: '11' }, operation: 'UPDATE' },
      { record: { total: '12' }, table: 'others' },
      { record: { total: '13', a: 'y' }, operation: 'DELETE' },
    ])
    await stream.arrived(2)
    const totals = stream.events.map(({ data }) => (JSON.parse(data) as { record: unknown }).record)
    expect(totals).toEqual(expect.arrayContaining([{ total: '10.00' }, { total: '13' }]))
    expect(stream.events).toHaveLength(2)
  })

  it('has the changes of several tables, and compares a field by its type in each', async () => {
    await publishTable(under.world, under.tenant, { name: 'orders', columns: { total: 'decimal' } })
    await publishTable(under.world, under.tenant, { name: 'notes', columns: { total: 'text' } })
    const filter = encodeURIComponent(JSON.stringify({ total: { gte: '9.0' } }))
    using stream = await openStream(under.service.api, under.tenant, {
      query: `?table=orders,notes&filter=${filter}`,
    })
    await log([
      { record: { total: '10.00' } },
      { record: { total: '8' } },
      { record: { total: '10.00' }, table: 'notes' },
      { record: { total: '90' }, table: 'notes' },
      { record: { total: '95' }, table: 'others' },
    ])
    await stream.arrived(2)
    const seen = stream.events.map(({ data }) => {
      const { table, record } = JSON.parse(data) as { table: string; record: { total: string } }
      return `${table} ${record.total}`
    })
    expect(sorted(seen)).toEqual(['notes 90', 'orders 10.00'])
  })

  it('goes on behind its cursor after the service is gone, and misses and repeats nothing', async () => {
    await using first = await under.world.startService({ streams: fewStreams })
    using stream = await openStream(first.api, under.tenant)
    const early = await log(numbered(2))
    await stream.arrived(2)
    const half = stream.lastEventId
    early.push(...(await log(numbered(2))))
    await stream.arrived(4)
    await first[Symbol.asyncDispose]()
    await stream.ended()
    expect(stream.comments.at(-1)).toBe('shutdown')
    const late = await log(numbered(3))
    using resumed = await openStream(under.service.api, under.tenant, { lastEventId: half })
    await resumed.arrived(5)
    const seen = [...stream.events.slice(0, 2), ...resumed.events].map(({ data }) => data)
    expect(sorted(seen)).toEqual(sorted(bodiesOf([...early, ...late])))
  })

  it('has a cursor at the last of the events that it sends together', async () => {
    await log(numbered(300, { recordId: 'one' }))
    using stream = await openStream(under.service.api, under.tenant, { query: '?from=1h' })
    await stream.arrived(300)
    const ids = stream.events.map(({ id }) => id)
    expect(new Set(ids).size).toBeLessThan(150)
    expect(ids.at(-1)).toBe(stream.lastEventId)
    expect(ids.at(-1)).not.toBe(ids.at(-2))
    const [lastEventId = ''] = ids.slice(150)
    using resumed = await openStream(under.service.api, under.tenant, { lastEventId })
    const rest = stream.events.slice(ids.indexOf(lastEventId) + 1)
    await resumed.arrived(rest.length)
    expect(resumed.events.map(({ data }) => data)).toEqual(rest.map(({ data }) => data))
  })

  it('moves the cursor of a client that gets nothing', async () => {
    using stream = await openStream(under.service.api, under.tenant)
    const before = stream.lastEventId
    await log(numbered(50), await under.world.tenant())
    await until(() => stream.lastEventId !== before && stream.comments.includes('heartbeat'), {
      what: 'a heartbeat with another cursor',
    })
    expect(stream.events).toEqual([])
  })
})

describe('a stream ends', () => {
  const remove = (topic: string, key: string) =>
    under.world.producer.send([{ topic, key, value: null }])

  it('when its environment is deleted', async () => {
    using stream = await openStream(under.service.api, under.tenant)
    await remove(environmentsTopic, `${under.tenant.projectId}/${under.tenant.environment}`)
    await stream.ended()
    expect([stream.end, stream.comments.at(-1)]).toEqual(['clean', 'access'])
  })

  it('when its token expires, and no event comes any more', async () => {
    const expiresAt = new Date(Date.now() + 5_000).toISOString()
    const token = await under.world.token(under.tenant.projectId, { expiresAt })
    using stream = await openStream(under.service.api, { ...under.tenant, token })
    await stream.ended()
    expect((await ask('', { ...under.tenant, token })).status).toBe(401)
  })

  it('when its token is revoked', async () => {
    const { tokenId, token } = await under.world.revocableToken(under.tenant.projectId)
    using stream = await openStream(under.service.api, { ...under.tenant, token })
    using other = await openStream(under.service.api, under.tenant)
    await remove(managementTokensTopic, tokenId)
    await stream.ended()
    expect(other.end).toBeNull()
  })
})

describe('too many streams', () => {
  it('of a tenant, or of the replica, are refused with Retry-After until one ends', async () => {
    using open = new DisposableStack()
    for (let n = 0; n < 5; n++) open.use(await openStream(under.service.api, under.tenant))
    const refused = await ask('')
    expect([refused.status, refused.body.error]).toEqual([429, 'RATE_LIMIT_EXCEEDED'])
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    const other = await under.world.tenant()
    for (let n = 0; n < 4; n++) open.use(await openStream(under.service.api, other))
    expect((await ask('', other)).status).toBe(429)
    open.dispose()
    const isOpen = async () => {
      using stream = await openStream(under.service.api, under.tenant)
      return stream.status === 200
    }
    // Before their lease of 30 s ends.
    await until(isOpen, { what: 'room for a stream', timeoutMs: 15_000 })
  })
})

describe('a page', () => {
  it('has the next events with headers, and goes on behind its cursor', async () => {
    const made = await log(numbered(7))
    const first = await page('from=1h&limit=4')
    expect(first.lines).toHaveLength(4)
    const [line] = first.lines
    expect(line?.headers).toMatchObject({
      'x-service-event': 'INSERT',
      'x-service-delivery': (JSON.parse(line?.body ?? '') as { id: string }).id,
      'webhook-id': expect.any(String),
    })
    expect(first.cursor).toBe(first.lines.at(-1)?.cursor)
    const rest = await page(`cursor=${first.cursor}&limit=1000`)
    const bodies = [...first.lines, ...rest.lines].map(({ body }) => body)
    expect(sorted(bodies)).toEqual(sorted(bodiesOf(made)))
    const none = await page(`cursor=${rest.cursor}`)
    expect(none.lines).toEqual([])
    expect(none.cursor).not.toBe('')
    const waiting = page(`cursor=${none.cursor}&wait=20`)
    const [late] = await log(numbered(1))
    expect(
      (await waiting).lines.map(({ body }) => (JSON.parse(body) as { id: string }).id),
    ).toEqual([late?.id])
  })

  it('is no larger than its bound, whatever its limit', async () => {
    await log(numbered(30).map((given) => ({ ...given, record: { text: 'x'.repeat(60_000) } })))
    const { lines } = await page('from=1h&limit=1000')
    expect(lines.length).toBeGreaterThan(2)
    expect(lines.length).toBeLessThan(10)
  })
})

describe('bad input', () => {
  it.each([
    ['table', 'table=orders,Refunds'],
    ['table', `table=${Array.from({ length: 21 }, (_, n) => `t${n}`).join(',')}`],
    ['events.1', 'events=INSERT,insert'],
    ['filter', 'filter={'],
    ['filter.total.above', 'filter={"total":{"above":1}}'],
    ['from', 'from=yesterday'],
    ['from', 'from=8d'],
    ['from', 'from=2020-01-01T00:00:00Z'],
    ['from', 'from=1h&cursor=abc'],
    ['cursor', 'cursor=abc'],
    ['limit', 'limit=5'],
    ['limit', 'format=ndjson&limit=1001'],
    ['wait', 'format=ndjson&wait=26'],
    ['format', 'format=xml'],
    ['tables', 'tables=orders'],
  ])('names %s in %s', async (field, query) => {
    const answer = await ask(query)
    expect([answer.status, answer.body.error]).toEqual([400, 'VALIDATION_ERROR'])
    expect(fieldsOf(answer)).toEqual([field])
  })

  it('is a filter that does not fit one of the tables, which the answer names', async () => {
    await publishTable(under.world, under.tenant, { name: 'orders', columns: { total: 'decimal' } })
    await publishTable(under.world, under.tenant, { name: 'customers', columns: { name: 'text' } })
    const answer = await ask('table=orders,customers&filter={"total":1}')
    const message = 'is not a field of the table (table customers)'
    expect([answer.status, answer.body.violations]).toEqual([
      400,
      [{ field: 'filter.total', message, rule: 'unknown_field' }],
    ])
  })

  it('is a cursor of another tenant, in the header too', async () => {
    const other = await under.world.tenant()
    const { headers } = await ask('format=ndjson', other)
    const cursor = headers.get('x-next-cursor') ?? ''
    expect((await ask(`format=ndjson&cursor=${cursor}`, other)).status).toBe(200)
    expect(fieldsOf(await ask(`cursor=${cursor}`))).toEqual(['cursor'])
    const asked = await ask('', under.tenant, { 'last-event-id': cursor })
    expect(fieldsOf(asked)).toEqual(['Last-Event-ID'])
  })

  it('is a stranger: 401 without a token, 403 with another one, 404 without the environment', async () => {
    const stranger = { ...under.tenant, token: (await under.world.tenant()).token }
    expect((await ask('', { ...under.tenant, token: 'none' })).status).toBe(401)
    expect((await ask('', stranger)).status).toBe(403)
    expect((await ask('', { ...under.tenant, environment: 'nowhere' })).body.error).toBe(
      'ENVIRONMENT_NOT_FOUND',
    )
  })
})
