import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import type { DeliveryAttempt } from '@surehook/contracts/events'
import type { searchDeliveries } from '@surehook/contracts/http/webhooks/questions'
import { deliveryId, redeliveryId } from '@surehook/contracts/ids'
import type { ReplyOf } from '@surehook/contracts/operation'
import { aJob, anAttempt } from '@surehook/contracts/testing/samples'
import { type Client, clientOf as clientBelow, headersOf } from '@surehook/scripts/client/call'
import { createDeliveryDays } from '../src/history/rows/delivery-days.ts'
import { searchSql } from '../src/history/search/search-sql.ts'
import { createDeliveryStore } from '../src/history/write/delivery-store.ts'
import { clientOf, validInput } from './support/client.ts'
import { type HistoryWorld, openHistoryWorld } from './support/history-world.ts'
import type { Tenant } from './support/under-test.ts'

let world: HistoryWorld
let tenant: Tenant
let client: Client

beforeAll(async () => {
  world = await openHistoryWorld()
})
afterAll(async () => world?.[Symbol.asyncDispose]())
beforeEach(async () => {
  tenant = await world.tenant()
  client = clientBelow(`${world.service.api}/api/rest`, headersOf(tenant))
})

const dayMs = 86_400_000
const now = Date.now()

const subscribe = async (of = tenant, fields: object = {}): Promise<string> =>
  (await clientOf(world.service.api, of).call('POST', { ...validInput(of), ...fields })).body.id

type DeliveryFields = {
  webhook: string
  at?: number
  eventId?: string
  table?: string
  recordId?: string
  again?: boolean
} & Partial<Pick<DeliveryAttempt, 'status' | 'httpStatus' | 'errorClass'>>

async function logged(given: DeliveryFields, of = tenant): Promise<string> {
  const { webhook, at = now, eventId = randomUUID(), table = 'orders', recordId = 'r1' } = given
  const original = deliveryId(eventId, webhook)
  const id = given.again === true ? redeliveryId(original, randomUUID()) : original
  const { projectId, environment } = of
  const own = { deliveryId: id, subscriptionId: webhook, projectId, environment, eventId }
  const redeliveryOf = given.again === true ? original : null
  await world.store.addJobs([
    aJob({ ...own, webhookId: original, redeliveryOf, table, recordId, createdAt: at }),
  ])
  const { status = 'delivered', httpStatus = 200, errorClass = null } = given
  if (status !== 'pending') {
    const result = { status, httpStatus, errorClass }
    await world.store.addTransitions([anAttempt({ ...own, ...result, createdAt: at, at: at + 1 })])
  }
  return id
}

async function search(query: string, by = client) {
  const { status, body } = await by.call<ReplyOf<typeof searchDeliveries>>(
    `GET /_deliveries?${query}`,
  )
  expect([status, body.error]).toEqual([200, undefined])
  return body
}

const idsOf = async (query: string) =>
  (await search(query)).deliveries.map((delivery) => delivery.id)

async function pages(query: string): Promise<string[]> {
  const ids: string[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page: Awaited<ReturnType<typeof search>> = await search(
      `${query}${cursor === '' ? '' : `&cursor=${cursor}`}`,
    )
    ids.push(...page.deliveries.map(({ id }) => id))
    cursor = page.nextCursor
  }
  return ids
}

const iso = (ms: number) => encodeURIComponent(new Date(ms).toISOString())

describe('GET /_deliveries', () => {
  it('shows those of all subscriptions, newest first, in pages, with what changed', async () => {
    const [a, b] = [await subscribe(tenant, { name: 'Billing' }), await subscribe()]
    const ids: string[] = []
    for (const [nth, back] of [0, 1, 1, dayMs, 3 * dayMs].entries()) {
      ids.push(await logged({ webhook: nth % 2 === 0 ? a : b, at: now - back }))
    }
    const all = await pages('limit=2')
    expect(all.toSorted()).toEqual(ids.toSorted())
    expect([all[0], ...all.slice(3)]).toEqual([ids[0], ids[3], ids[4]])
    const names = (await search('')).deliveries.map((one) => [one.webhookId, one.webhookName])
    expect(new Map(names as [string, string | null][])).toEqual(
      new Map([
        [a, 'Billing'],
        [b, null],
      ]),
    )
    expect((await search('limit=1')).deliveries[0]).toMatchObject({
      ...{ webhookId: a, table: 'orders', event: 'INSERT', recordId: 'r1' },
      ...{ status: 'delivered', httpStatus: 200, attempts: 1 },
    })
  })

  it('filters by each field, and by all of them together', async () => {
    const [a, b] = [await subscribe(), await subscribe(tenant, { table: 'users' })]
    const eventId = randomUUID()
    const plain = await logged({ webhook: a, eventId, recordId: 'r2', at: now - 5 })
    const again = await logged({ webhook: a, eventId, again: true, at: now - 4 })
    const dead = await logged({
      ...{ webhook: b, table: 'users', status: 'dead_letter', at: now - dayMs },
      ...{ httpStatus: null, errorClass: 'tls' },
    })
    const failed = await logged({
      ...{ webhook: b, table: 'users', status: 'retrying', at: now - 2 * dayMs },
      ...{ httpStatus: 503, errorClass: 'http' },
    })
    const pending = await logged({ webhook: b, status: 'pending', at: now - 2 * dayMs - 1 })
    const expected: [string, string[]][] = [
      ['status=dead_letter', [dead]],
      ['status=delivered', [again, plain]],
      ['status=pending', [pending]],
      ['status=paused', []],
      [`webhookId=${b}`, [dead, failed, pending]],
      [`webhookId=${b}&status=retrying`, [failed]],
      ['table=users', [dead, failed]],
      [`eventId=${eventId}`, [again, plain]],
      [`eventId=${eventId}&status=paused`, []],
      ['recordId=r2', [plain]],
      ['recordId=r1', [again, dead, failed, pending]],
      ['recordId=r1&errorClass=tls', [dead]],
      ['httpStatus=503', [failed]],
      ['httpStatus=200', [again, plain]],
      ['httpStatus=204', []],
      ['errorClass=http', [failed]],
      ['errorClass=tls&status=delivered', []],
      [`since=${iso(now - dayMs)}`, [again, plain, dead]],
      [`until=${iso(now - dayMs)}`, [failed, pending]],
      [`since=${iso(now - 2 * dayMs)}&until=${iso(now - 4)}`, [plain, dead, failed]],
      [`webhookId=${b}&table=users&status=dead_letter&errorClass=tls&recordId=r1`, [dead]],
    ]
    for (const [query, ids] of expected) {
      expect([query, await idsOf(query)]).toEqual([query, ids])
      expect([query, await pages(`${query}&limit=1`)]).toEqual([query, ids])
    }
  })

  it('finds one by its id, whatever else must match', async () => {
    const webhook = await subscribe()
    const eventId = randomUUID()
    const id = await logged({ webhook, eventId })
    const again = await logged({ webhook, eventId, again: true })
    expect(await idsOf(`deliveryId=${id}`)).toEqual([id])
    expect(await idsOf(`deliveryId=${again}&eventId=${eventId}`)).toEqual([again])
    expect(await idsOf(`deliveryId=${id}&eventId=${randomUUID()}`)).toEqual([])
    expect(await idsOf(`eventId=${eventId}&recordId=another`)).toEqual([])
    expect(await idsOf(`deliveryId=${id}&status=pending`)).toEqual([])
    const other = await world.tenant()
    await subscribe(other)
    const theirs = clientBelow(`${world.service.api}/api/rest`, headersOf(other))
    expect((await search(`deliveryId=${id}`, theirs)).deliveries).toEqual([])
  })

  it('finds deliveries that were filed late by the time at which they were made', async () => {
    const webhook = await subscribe()
    const late = createDeliveryStore(world.historyPool, createDeliveryDays(world.historyPool), 30)
    const createdAt = now - 40 * dayMs
    const eventId = randomUUID()
    const own = { ...tenant, subscriptionId: webhook, eventId, createdAt }
    const ids = [deliveryId(eventId, webhook), randomUUID()]
    await late.add({
      jobs: ids.map((id) => aJob({ ...own, deliveryId: id, recordId: 'r1' })),
      transitions: ids.map((id) => anAttempt({ ...own, deliveryId: id, at: now - 1_000 })),
    })
    const older = await logged({ webhook, at: createdAt - dayMs })
    await logged({ webhook, at: now - dayMs })
    const span = `until=${iso(createdAt + 1)}`
    const sources = ['', 'table=orders&', `webhookId=${webhook}&`, 'recordId=r1&']
    const expected = [...ids.toSorted().toReversed(), older]
    for (const source of sources) {
      expect([source, await pages(`${source}${span}`)]).toEqual([source, expected])
      expect([source, await pages(`${source}${span}&limit=1`)]).toEqual([source, expected])
      expect(await idsOf(`${source}until=${iso(createdAt)}`)).toEqual([older])
    }
    expect(await idsOf(`eventId=${eventId}&${span}`)).toEqual(ids.slice(0, 1))
  })

  it('goes on behind what it has read, where few match', async () => {
    const webhook = await subscribe()
    const wanted: string[] = []
    for (let n = 0; n < 9; n++) {
      const table = n % 4 === 0 ? 'users' : 'orders'
      const id = await logged({ webhook, table, at: now - n * 3_600_000 })
      if (n % 4 === 0) wanted.push(id)
    }
    const found: string[] = []
    let requests = 0
    let after: [string, string, string] | null = null
    do {
      const { sql, values } = searchSql({
        ...{ tenant, subscriptionIds: [webhook], filters: { table: 'users' }, source: 'tenant' },
        ...{ after, limit: 11, reads: 2 },
      })
      const { rows } = await world.historyPool.query(sql, values)
      found.push(...rows.filter((row) => !row.is_bound).map((row) => row.id))
      const bound = rows.find((row) => row.is_bound)
      after = bound ? [bound.created_at.toISOString(), bound.id, bound.filed_on] : null
      requests++
    } while (after !== null)
    expect([found, requests]).toEqual([wanted, 5])
  })

  it('shows nobody the deliveries of another project or environment', async () => {
    const webhook = await subscribe()
    const eventId = randomUUID()
    await logged({ webhook, eventId, recordId: 'r9' })
    const stranger = await world.tenant()
    const other = { ...tenant, environment: 'other' }
    for (const who of [stranger, other]) {
      const theirs = clientBelow(`${world.service.api}/api/rest`, headersOf(who))
      await subscribe(stranger)
      for (const query of ['', `webhookId=${webhook}`, `eventId=${eventId}`, 'recordId=r9']) {
        const { body } = await theirs.call<ReplyOf<typeof searchDeliveries>>(
          `GET /_deliveries?${query}`,
        )
        expect(body.deliveries ?? []).toEqual([])
      }
    }
    expect(await idsOf('recordId=r9')).toHaveLength(1)
  })

  it('shows nothing of a deleted subscription', async () => {
    const webhook = await subscribe()
    await logged({ webhook })
    await clientOf(world.service.api, tenant).call(`DELETE /${webhook}`)
    expect(await idsOf('')).toEqual([])
  })

  it.each([
    ['status', 'status=lost'],
    ['webhookId', 'webhookId=x'],
    ['table', 'table=Orders'],
    ['eventId', 'eventId='],
    ['recordId', 'recordId=a%00b'],
    ['httpStatus', 'httpStatus=99'],
    ['httpStatus', 'httpStatus=ok'],
    ['errorClass', 'errorClass=bad'],
    ['since', 'since=yesterday'],
    ['until', 'since=2026-01-02T00:00:00Z&until=2026-01-01T00:00:00Z'],
    ['limit', 'limit=1001'],
    ['cursor', 'cursor=abc'],
    ['page', 'page=2'],
  ])('names %s in ?%s', async (field, query) => {
    const { status, body } = await client.call(`GET /_deliveries?${query}`)
    expect([status, body.error]).toEqual([400, 'VALIDATION_ERROR'])
    expect(body.violations).toEqual([
      { field, message: expect.any(String), rule: expect.any(String) },
    ])
  })
})
