import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import type { DeliveryAttempt } from '@surehook/contracts/events'
import type { EnvironmentStats, WebhookStats } from '@surehook/contracts/http/webhooks/questions'
import { anAttempt } from '@surehook/contracts/testing/samples'
import { deleteOldStats } from '../src/history/stats/stats-store.ts'
import { clientOf, validInput, type WebhooksClient } from './support/client.ts'
import { type HistoryWorld, openHistoryWorld } from './support/history-world.ts'
import type { Tenant } from './support/under-test.ts'

let world: HistoryWorld
let tenant: Tenant
let client: WebhooksClient
let id: string

beforeAll(async () => {
  world = await openHistoryWorld()
})
afterAll(async () => world?.[Symbol.asyncDispose]())
beforeEach(async () => {
  tenant = await world.tenant()
  client = clientOf(world.service.api, tenant)
  id = (await client.call('POST', validInput(tenant))).body.id
})

const now = Date.now()
const hourMs = 3_600_000

const attempt = (change: Partial<DeliveryAttempt>) => {
  const { projectId, environment } = tenant
  const own = { subscriptionId: id, projectId, environment, createdAt: now }
  return anAttempt({ ...own, deliveryId: randomUUID(), at: now, ...change })
}

async function stats(window = '1h', by = client) {
  const { status, body } = await by.call<WebhookStats>(`GET /${id}/stats?window=${window}`)
  expect(status).toBe(200)
  return body
}

/** A delivery that fails twice and is delivered. */
function threeAttempts(): DeliveryAttempt[] {
  const deliveryId = randomUUID()
  return (['retrying', 'retrying', 'delivered'] as const).map((status, n) =>
    attempt({ deliveryId, status, attempts: n + 1, step: n + 1, at: now + n, latencyMs: 100 }),
  )
}

it('counts attempts by what they came to, with rate, durations and a series', async () => {
  await world.store.addTransitions([
    ...threeAttempts(),
    attempt({ status: 'dead_letter', latencyMs: 100 }),
    attempt({ status: 'cancelled', attempted: false, latencyMs: null }),
  ])
  const { counts, attempts, successRate, latencyMs, series, bucketSeconds } = await stats()
  expect(counts).toEqual({ delivered: 1, retrying: 2, deadLetter: 1, cancelled: 1 })
  expect([attempts, successRate, bucketSeconds]).toEqual([4, 0.25, 300])
  for (const ms of [latencyMs.p50, latencyMs.p95]) {
    expect(ms).toBeGreaterThan(80)
    expect(ms).toBeLessThan(120)
  }
  expect(series.length).toBe(13)
  expect(series.reduce((sum, { retrying }) => sum + retrying, 0)).toBe(2)
})

it('counts an attempt once, however often and with whatever else it comes', async () => {
  const [first, second, third] = threeAttempts() as [
    DeliveryAttempt,
    DeliveryAttempt,
    DeliveryAttempt,
  ]
  const ended = attempt({ status: 'cancelled', attempted: false, latencyMs: null })
  const batches = [[second], [first], [second, third, ended], [first, second, third], [ended]]
  for (const batch of batches) await world.store.addTransitions(batch)
  expect(await stats()).toMatchObject({
    counts: { delivered: 1, retrying: 2, deadLetter: 0, cancelled: 1 },
    attempts: 3,
  })
})

it('counts the new attempts of a batch that repeats known ones', async () => {
  const known = attempt({ status: 'delivered' })
  // A matcher that repeats its work after midnight makes the same delivery on another day.
  const onAnotherDay = { ...known, createdAt: now - 24 * hourMs }
  await world.store.addTransitions([known])
  await world.store.addTransitions([known, onAnotherDay, attempt({ status: 'retrying' })])
  expect(await stats()).toMatchObject({ counts: { delivered: 2, retrying: 1 }, attempts: 3 })
})

it('counts once what several writers are told at the same time', async () => {
  const all = Array.from({ length: 30 }, threeAttempts).flat()
  const parts = [all, all.slice(10, 60), all.slice(30), all]
  // A writer may wait too long for another one. It then repeats, as the log does.
  const write = async (part: DeliveryAttempt[]): Promise<void> =>
    world.store.addTransitions(part).catch((err: { code?: string }) => {
      if (err.code !== '55P03' && err.code !== '40P01') throw err
      return write(part)
    })
  await Promise.all(parts.map(write))
  expect(await stats()).toMatchObject({
    counts: { delivered: 30, retrying: 60 },
    attempts: 90,
  })
})

it('counts nothing of what was rolled back', async () => {
  const broken = attempt({ status: 'delivered', answer: 'x' })
  const tooLate = { ...broken, deliveryId: 'no uuid' }
  await expect(world.store.addTransitions([broken, tooLate])).rejects.toThrow()
  expect((await stats()).attempts).toBe(0)
  await world.store.addTransitions([broken])
  expect((await stats()).attempts).toBe(1)
})

it('looks back as far as it is asked to', async () => {
  for (const back of [0, 2, 30, 200]) {
    await world.store.addTransitions([attempt({ at: now - back * hourMs })])
  }
  const of = async (window: string) => {
    const { attempts, series } = await stats(window)
    return [attempts, series.length]
  }
  expect([await of('1h'), await of('24h'), await of('7d')]).toEqual([
    [1, 13],
    [2, 97],
    [3, 169],
  ])
  await deleteOldStats(world.historyPool, now + 9 * 24 * hourMs)
  expect(await of('7d')).toEqual([0, 169])
})

it('says nothing of attempts where there are none', async () => {
  const { successRate, latencyMs, counts } = await stats('7d')
  expect([successRate, latencyMs]).toEqual([null, { p50: null, p95: null }])
  expect(counts).toEqual({ delivered: 0, retrying: 0, deadLetter: 0, cancelled: 0 })
})

it('is of the own subscription, and of a window that there is', async () => {
  const stranger = clientOf(world.service.api, await world.tenant())
  expect((await stranger.call(`GET /${id}/stats`)).body.error).toBe('WEBHOOK_NOT_FOUND')
  const { status, body } = await client.call(`GET /${id}/stats?window=2h`)
  expect([status, body.violations?.[0]?.field]).toEqual([400, 'window'])
})

async function statsOfAll(query: string, by = client) {
  const { status, body } = await by.call<EnvironmentStats>(`GET /stats?window=1h${query}`)
  expect(status).toBe(200)
  return body
}

describe('the statistics of all subscriptions', () => {
  it('have the numbers of each one, and their sums', async () => {
    const quiet = (await client.call('POST', validInput(tenant))).body.id
    const failing = (await client.call('POST', validInput(tenant))).body.id
    const failure = { subscriptionId: failing, status: 'dead_letter', latencyMs: 900 } as const
    await world.store.addTransitions([...threeAttempts(), attempt(failure)])
    const all = await statsOfAll('')
    expect(all.webhooks.map(({ webhookId, attempts }) => [webhookId, attempts])).toEqual([
      [failing, 1],
      [quiet, 0],
      [id, 3],
    ])
    const { series, latencyMs, counts, attempts, successRate } = await stats()
    const [, none, own] = all.webhooks
    expect(own).toMatchObject({ counts, attempts, successRate, latencyMs })
    expect(own?.trend).toEqual({
      delivered: series.map(({ delivered }) => delivered),
      failed: series.map(({ retrying, deadLetter }) => retrying + deadLetter),
    })
    expect(none).toMatchObject({ successRate: null, latencyMs: { p95: null } })
    expect(all).toMatchObject({
      counts: { delivered: 1, retrying: 2, deadLetter: 1, cancelled: 0 },
      ...{ attempts: 4, successRate: 0.25, bucketSeconds: 300, nextCursor: null },
    })
    expect(all.series.length).toBe(series.length)
    expect(all.series.reduce((sum, { deadLetter }) => sum + deadLetter, 0)).toBe(1)
  })

  it('come in the pages of the list, of one environment alone', async () => {
    for (let n = 0; n < 2; n++) await client.call('POST', validInput(tenant))
    await world.store.addTransitions([attempt({ status: 'delivered' })])
    const first = await statsOfAll('&limit=2')
    expect([first.webhooks.length, first.attempts]).toEqual([2, 0])
    const listed = (await client.list('?limit=2')).body
    expect(first.nextCursor).toBe(listed.nextCursor)
    const last = await statsOfAll(`&limit=2&cursor=${listed.nextCursor}`)
    expect(last.webhooks.map(({ webhookId }) => webhookId)).toEqual([id])
    expect([last.attempts, last.nextCursor]).toEqual([1, null])

    const stranger = clientOf(world.service.api, await world.tenant())
    expect(await statsOfAll('', stranger)).toMatchObject({ attempts: 0, webhooks: [] })
  })

  it('are searched as the list is', async () => {
    const named = (await client.call('POST', { ...validInput(tenant), name: 'Invoices' })).body.id
    const { webhooks } = await statsOfAll('&search=INVOI')
    expect(webhooks.map(({ webhookId }) => webhookId)).toEqual([named])
  })

  it.each([
    ['limit', 'limit=201'],
    ['cursor', 'cursor=x'],
    ['window', 'window=2h'],
  ])('refuse a wrong %s', async (field, query) => {
    const { status, body } = await client.call(`GET /stats?${query}`)
    expect([status, body.violations?.[0]?.field]).toEqual([400, field])
  })
})
