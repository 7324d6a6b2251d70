import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import type { DeliveryJob } from '@surehook/contracts/events'
import type { Replay } from '@surehook/contracts/http/webhooks/log'
import { deliveryId, endpointId } from '@surehook/contracts/ids'
import { anAttempt } from '@surehook/contracts/testing/samples'
import { attemptsTopic, deliveriesTopic } from '@surehook/contracts/topics'
import { type LogReader, openLogReader } from '@surehook/kafka/readers/log-reader'
import { type Client } from '@surehook/scripts/client/call'
import { until } from '@surehook/testing/until'
import { logChanges } from './support/changes.ts'
import { clientOf, validInput } from './support/client.ts'
import { readLog } from './support/read-log.ts'
import { log, openWorld, type Running, type Tenant, type World } from './support/under-test.ts'

let world: World
let service: Running
let tenant: Tenant
let client: Client
let reader: LogReader

beforeAll(async () => {
  world = await openWorld()
  service = await world.startService()
  reader = openLogReader({ kafka: world.kafka, topic: deliveriesTopic, clientId: 'test', log })
})
afterAll(async () => {
  await reader?.[Symbol.asyncDispose]()
  await service?.[Symbol.asyncDispose]()
  await world?.[Symbol.asyncDispose]()
})
beforeEach(async () => {
  tenant = await world.tenant()
  client = clientOf(service.api, tenant)
})

const subscribe = async (fields: object = {}): Promise<string> =>
  (await client.call('POST', { ...validInput(tenant), ...fields })).body.id

const ago = (ms: number) => new Date(Date.now() - ms).toISOString()
const hour = 3_600_000

async function replay(id: string, span: object = { from: ago(hour) }): Promise<string> {
  const { status, text } = await client.call(`POST /${id}/replay`, span)
  if (status !== 202) throw new Error(`${status} ${text}`)
  return (JSON.parse(text) as { replayId: string }).replayId
}

async function shown(id: string, replayId: string, by = client): Promise<Replay> {
  const { text } = await by.call(`GET /${id}/replays/${replayId}`)
  return JSON.parse(text) as Replay
}

async function ended(id: string, replayId: string, by = client): Promise<Replay> {
  const isEnded = async () => (await shown(id, replayId, by)).state !== 'running'
  await until(isEnded, { what: 'the end of the replay' })
  return shown(id, replayId, by)
}

/** Returns every job of the subscription on the topic, with its endpoint's key, in order. */
async function jobsOf(id: string): Promise<DeliveryJob[]> {
  const jobs: DeliveryJob[] = []
  for await (const { key, value } of readLog(reader)) {
    if (!value?.includes(id)) continue
    const job = await world.codec.job.decode(value)
    expect(String(key)).toBe(endpointId(job))
    jobs.push(job)
  }
  return jobs
}

/** Publishes what a dispatcher would. */
async function deliverAll(jobs: readonly DeliveryJob[]): Promise<void> {
  await world.producer.send(
    jobs.map(({ deliveryId: id, eventId, subscriptionId, projectId, environment, createdAt }) => ({
      topic: attemptsTopic,
      key: id,
      value: world.codec.attempt.encode(
        anAttempt({
          deliveryId: id,
          eventId,
          subscriptionId,
          projectId,
          environment,
          createdAt,
          at: Date.now(),
        }),
      ),
    })),
  )
}

describe('POST /_webhooks/{id}/replay', () => {
  it('delivers the matching changes of the span once more, to this subscription only', async () => {
    const id = await subscribe({ filter: { total: { gte: 2 } }, select: ['total'] })
    const other = await subscribe()
    const [, second, third] = await logChanges(world, tenant, [
      { record: { total: 1 }, recordId: 'r' },
      { record: { total: 2, more: 1 }, recordId: 'r' },
      { record: { total: 3 }, recordId: 'r' },
      { record: { total: 4 }, timestamp: ago(2 * hour) },
      { record: { total: 5 }, table: 'others' },
      { record: { total: 6 }, operation: 'DELETE' },
    ])
    const replayId = await replay(id)
    expect(await ended(id, replayId)).toMatchObject({
      id: replayId,
      webhookId: id,
      state: 'done',
      scanned: 4,
      deliveries: 2,
      finishedAt: expect.any(String),
    })
    const jobs = await jobsOf(id)
    expect(jobs.map(({ eventId }) => eventId)).toEqual([second?.id, third?.id])
    const [job] = jobs
    const original = deliveryId(second?.id ?? '', id)
    expect(job).toMatchObject({ webhookId: original, redeliveryOf: original, attempt: 1, step: 0 })
    expect(job?.deliveryId).not.toBe(original)
    expect(JSON.parse(String(job?.body))).toMatchObject({ id: second?.id, record: { total: 2 } })
    expect(await jobsOf(other)).toEqual([])
    const { text } = await client.call(`GET /${id}/deliveries`)
    expect(text).toContain(job?.deliveryId)
    expect((await client.call(`GET /${other}/deliveries`)).text).not.toContain(second?.id)
  })

  it('makes separate deliveries for each replay', async () => {
    const id = await subscribe()
    await logChanges(world, tenant, [{}])
    for (let count = 0; count < 2; count++) await ended(id, await replay(id))
    const jobs = await jobsOf(id)
    expect(new Set(jobs.map(({ deliveryId: one }) => one)).size).toBe(2)
    expect(new Set(jobs.map(({ webhookId }) => webhookId)).size).toBe(1)
  })

  it('includes the start of the span and excludes its end', async () => {
    const id = await subscribe()
    const span = { from: ago(50_000), until: ago(40_000) }
    const [first] = await logChanges(world, tenant, [
      { timestamp: span.from },
      { timestamp: span.until },
      { timestamp: ago(60_000) },
    ])
    expect(await ended(id, await replay(id, span))).toMatchObject({ deliveries: 1 })
    expect((await jobsOf(id)).map(({ eventId }) => eventId)).toEqual([first?.id])
  })

  it('waits for its deliveries, and is continued by another process without repetition', async () => {
    const id = await subscribe()
    const events = await logChanges(
      world,
      tenant,
      Array.from({ length: 250 }, (_, total) => ({ record: { total }, recordId: 'one' })),
    )
    let replayId: string
    {
      await using first = await world.startService()
      client = clientOf(first.api, tenant)
      replayId = await replay(id)
      const hasBegun = async () => (await shown(id, replayId)).deliveries > 0
      await until(hasBegun, { what: 'the first batch' })
    }
    client = clientOf(service.api, tenant)
    const seen = new Set<string>()
    const isDone = async () => {
      const jobs = (await jobsOf(id)).filter(({ deliveryId: one }) => !seen.has(one))
      for (const { deliveryId: one } of jobs) seen.add(one)
      await deliverAll(jobs)
      return (await shown(id, replayId)).state === 'done'
    }
    // Before the turn of 60 s of a killed process would end.
    await until(isDone, { what: 'the end', timeoutMs: 50_000, everyMs: 200 })
    // The relay publishes the last batch after its commit.
    const isSent = async () => (await jobsOf(id)).length >= events.length
    await until(isSent, { what: 'the last batch' })
    const jobs = await jobsOf(id)
    expect(jobs.map(({ eventId }) => eventId)).toEqual(events.map((event) => event.id))
    expect(await shown(id, replayId)).toMatchObject({ scanned: 250, deliveries: 250 })
  })

  it('sends no second batch while most of the first has not been attempted', async () => {
    const id = await subscribe()
    await logChanges(
      world,
      tenant,
      Array.from({ length: 150 }, () => ({ recordId: 'one' })),
    )
    const replayId = await replay(id)
    await until(async () => (await shown(id, replayId)).deliveries === 100, {
      what: 'the first batch',
    })
    // A second replay runs to its end. Without the limit, the first one would have had its next
    // turn before that.
    const quick = await subscribe()
    await ended(quick, await replay(quick, { from: ago(hour), until: ago(hour / 2) }))
    expect(await shown(id, replayId)).toMatchObject({ state: 'running', deliveries: 100 })

    const again = await client.call(`POST /${id}/replay`, { from: ago(hour) })
    expect([again.status, again.body.error]).toEqual([409, 'CONFLICT'])

    await client.call(`DELETE /${id}`)
    expect((await client.call(`GET /${id}/replays/${replayId}`)).body.error).toBe(
      'WEBHOOK_NOT_FOUND',
    )
    expect(await jobsOf(id)).toHaveLength(100)
  })

  it('answers a repeated request with the same key alike, and runs once', async () => {
    const id = await subscribe()
    await logChanges(world, tenant, [{}])
    const span = { from: ago(hour) }
    const key = { 'idempotency-key': randomUUID() }
    const answers = [
      await client.call(`POST /${id}/replay`, span, key),
      await client.call(`POST /${id}/replay`, span, key),
    ]
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
    const { replayId } = JSON.parse(answers[0]?.text ?? '') as { replayId: string }
    await ended(id, replayId)
    expect(await jobsOf(id)).toHaveLength(1)
    const other = await client.call(`POST /${id}/replay`, { from: ago(hour / 2) }, key)
    expect([other.status, other.body.error]).toEqual([409, 'CONFLICT'])
    await client.call(`DELETE /${id}`)
    const { status, text } = await client.call(`POST /${id}/replay`, span, key)
    expect([status, text]).toEqual([202, answers[0]?.text])
  })

  it('sends nothing of another tenant, and is refused to strangers', async () => {
    const id = await subscribe()
    const other = await world.tenant()
    await logChanges(world, other, [{}])
    await logChanges(world, { ...tenant, environment: 'other' }, [{}])
    const replayId = await replay(id)
    expect(await ended(id, replayId)).toMatchObject({ scanned: 0, deliveries: 0 })
    const stranger = clientOf(service.api, other)
    const span = { from: ago(hour) }
    expect((await stranger.call(`POST /${id}/replay`, span)).body.error).toBe('WEBHOOK_NOT_FOUND')
    expect((await stranger.call(`GET /${id}/replays/${replayId}`)).body.error).toBe(
      'WEBHOOK_NOT_FOUND',
    )
    const mine = await subscribe()
    for (const unknown of [replayId, randomUUID(), 'x']) {
      const { body } = await client.call(`GET /${mine}/replays/${unknown}`)
      expect(body.error).toBe('REPLAY_NOT_FOUND')
    }
  })

  it.each<[string, object]>([
    ['from', {}],
    ['from', { from: 'yesterday' }],
    ['from', { from: ago(7 * 24 * hour + 60_000) }],
    ['until', { from: ago(hour), until: ago(-hour) }],
    ['until', { from: ago(hour), until: ago(hour + 1) }],
    ['until', { from: ago(hour), until: 5 }],
    ['to', { from: ago(hour), to: ago(1) }],
  ])('refuses a fault of %s', async (field, span) => {
    const id = await subscribe()
    const { status, body } = await client.call(`POST /${id}/replay`, span)
    expect([status, body.violations?.map((violation) => violation.field)]).toEqual([400, [field]])
  })

  it('uses the present URL and settings of the subscription', async () => {
    const id = await subscribe({ filter: { total: 1 } })
    await logChanges(world, tenant, [{ record: { total: 2 } }])
    const url = 'https://elsewhere.example/'
    await client.call(`PATCH /${id}`, { filter: { total: 2 }, url })
    await ended(id, await replay(id))
    const [job] = await jobsOf(id)
    expect(job?.url).toBe(url)
  })
})
