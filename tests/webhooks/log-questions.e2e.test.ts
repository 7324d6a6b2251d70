import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import type { Explanation, Preview, Replay } from '@surehook/contracts/http/webhooks/log'
import type { getWebhook } from '@surehook/contracts/http/webhooks/webhooks'
import type { ReplyOf } from '@surehook/contracts/operation'
import { expectStatus, type Records } from '@surehook/scripts/client/call'
import { defaultSecret, type Tenant } from '@surehook/scripts/client/tenant'
import type { Behaviour } from '@surehook/scripts/receiver/receiver'
import { verifySignature } from '@surehook/scripts/receiver/verify-signature'
import {
  type Listener,
  type ListeningWorld,
  openListeningWorld,
} from '../support/listening-world.ts'
import { eventually, payloadOf } from '../support/world.ts'

let world: ListeningWorld
let tenant: Tenant

beforeAll(async () => {
  const env = {
    WEBHOOK_DISABLE_AFTER: '400ms',
    WEBHOOK_CIRCUIT_COOLDOWN: '200ms',
    // One attempt at a time, so that deliveries arrive in the order in which attempts start.
    WEBHOOK_ENDPOINT_CONCURRENCY: '1',
  }
  world = await openListeningWorld({ env })
})
afterAll(async () => {
  await world?.[Symbol.asyncDispose]()
})
beforeEach(async () => {
  tenant = await world.tenant()
})

const anHourAgo = () => new Date(Date.now() - 3_600_000).toISOString()

async function preview(fields: object): Promise<Preview> {
  const input = { table: 'orders', events: ['INSERT', 'UPDATE', 'DELETE'], ...fields }
  const answer = expectStatus(200, await tenant.webhooks<Preview>('POST /preview', input))
  return answer.body
}

async function explain({ id }: Pick<Listener, 'id'>, eventId: string): Promise<Explanation> {
  const answer = await tenant.webhooks<Explanation>(`GET /${id}/explain?eventId=${eventId}`)
  return expectStatus(200, answer).body
}

async function replayed({ id }: Listener, span: object = { from: anHourAgo() }): Promise<Replay> {
  const asked = await tenant.webhooks<{ replayId: string }>(`POST /${id}/replay`, span)
  const path = `GET /${id}/replays/${expectStatus(202, asked).body.replayId}`
  const read = async () => (await tenant.webhooks<Replay>(path)).body
  return eventually(read, ({ state }) => state !== 'running')
}

describe('a preview', () => {
  it('equals what a subscription then gets, and sends nothing itself', async () => {
    const everything = await world.listen(tenant)
    await tenant.insert({ n: 1 })
    await tenant.insert({ n: 2 })
    await everything.arrived(2)
    const shown = await preview({ filter: { n: { gt: 1 } }, select: ['n'], secret: defaultSecret })
    expect(shown).toMatchObject({ scanned: 2, matched: 1 })
    const [sample] = shown.samples
    const signed = { headers: sample?.headers ?? {}, body: sample?.body ?? '' }
    expect(verifySignature(signed, defaultSecret)).toBe(true)

    const listener = await world.listen(tenant, { filter: { n: { gt: 1 } }, select: ['n'] })
    await replayed(listener)
    const [receipt] = await world.receiver.waitFor(listener.path, 1)
    expect(receipt?.body).toBe(sample?.body)
    expect(everything.receipts).toHaveLength(2)
  })
})

describe('an explanation', () => {
  it('states why changes through the data API were delivered or not', async () => {
    const early = await tenant.insert({ n: 0 })
    const listener = await world.listen(tenant, { filter: { n: { gte: 5 } }, events: ['INSERT'] })
    const everything = await world.listen(tenant)
    const tooLow = await tenant.insert({ n: 1 })
    const fits = await tenant.insert({ n: 5 })
    await tenant.rest(`PATCH orders/${fits.id}`, { n: 6 })
    await tenant.webhooks(`PATCH /${listener.id}`, { active: false })
    const whileInactive = await tenant.insert({ n: 7 })
    await tenant.webhooks(`PATCH /${listener.id}`, { active: true })
    await everything.arrived(4)
    const idOf = (record: { id: string }, event = 'INSERT') =>
      everything.payloads.find((one) => one.record['id'] === record.id && one.event === event)
        ?.id ?? ''
    const log = (await preview({ filter: { n: 0 } })).samples
    expect(log.map(({ body }) => JSON.parse(body).record.id)).toEqual([early.id])

    await listener.log((all) => all.some(({ status }) => status === 'delivered'))
    const verdict = async (eventId: string) => {
      const { outcome, field } = await explain(listener, eventId)
      return [outcome, field]
    }
    expect(await verdict(idOf(fits))).toEqual(['delivered', undefined])
    expect(await verdict(idOf(tooLow))).toEqual(['not_delivered', 'filter.n.gte'])
    expect(await verdict(idOf(fits, 'UPDATE'))).toEqual(['not_delivered', 'events'])
    expect(await verdict(idOf(whileInactive))).toEqual(['not_delivered', 'active'])
    expect(await verdict(log[0]?.eventId ?? '')).toEqual(['not_delivered', 'createdAt'])
    const stranger = await world.tenant()
    const foreign = await stranger.webhooks(`GET /${listener.id}/explain?eventId=${idOf(fits)}`)
    expect(foreign.status).toBe(404)
  })
})

describe('a replay', () => {
  it('repeats deliveries with the same bytes and webhook-id, to one subscription', async () => {
    const listener = await world.listen(tenant)
    const other = await world.listen(tenant)
    const { id } = await tenant.insert({ n: 1 })
    await tenant.rest(`PATCH orders/${id}`, { n: 2 })
    await tenant.rest(`DELETE orders/${id}`)
    await listener.arrived(3)
    await other.arrived(3)
    expect(await replayed(listener)).toMatchObject({ state: 'done', scanned: 3, deliveries: 3 })
    const receipts = await world.receiver.waitFor(listener.path, 6)
    const seen = receipts.map(({ body, headers }) => [body, headers['webhook-id']])
    expect(seen.slice(3)).toEqual(seen.slice(0, 3))
    expect(other.receipts).toHaveLength(3)
    const log = await listener.log((all) => all.length === 6)
    expect(new Set(log.map((delivery) => delivery.id)).size).toBe(6)
  })

  it('gives a new subscription earlier changes, in order for each record, in many batches', async () => {
    const { id } = await tenant.insert({ n: 0 })
    const count = 230
    for (let n = 1; n < count; n++) {
      expectStatus(200, await tenant.rest(`PATCH orders/${id}`, { n }))
    }
    const listener = await world.listen(tenant)
    expect(await replayed(listener)).toMatchObject({ deliveries: count })
    const receipts = await world.receiver.waitFor(listener.path, count)
    expect(receipts).toHaveLength(count)
    const order = listener.payloads.map(({ record }) => record['n'])
    expect(order).toEqual(Array.from({ length: count }, (_, n) => n))
  })
})

describe('an endpoint that only fails', () => {
  const fail: Behaviour = () => ({ status: 500 })

  it('deactivates its subscription, which subscribers of _webhooks receive as an event', async () => {
    const watcher = await world.listen(tenant, { table: '_webhooks', events: ['UPDATE'] })
    const failing = await world.listen(tenant, {}, fail)
    const healthy = await world.listen(tenant)
    await tenant.insert({ n: 1 })
    const [event] = await watcher.arrived(1)
    expect(event).toMatchObject({
      table: '_webhooks',
      record: { id: failing.id, active: false, disabledReason: expect.any(String) },
      changed_fields: ['active', 'disabledAt', 'disabledReason'],
    })
    const shown = async (id: string) =>
      (await tenant.webhooks<ReplyOf<typeof getWebhook>>(`GET /${id}`)).body.webhook
    expect(await shown(failing.id)).toMatchObject({ active: false })
    expect(await shown(healthy.id)).toMatchObject({ active: true })

    failing.answer(() => ({ status: 204 }))
    expectStatus(200, await tenant.webhooks(`PATCH /${failing.id}`, { active: true }))
    await tenant.insert({ n: 2 })
    const isThere = () => failing.receipts.map(payloadOf).some(({ record }) => record['n'] === 2)
    await eventually(async () => isThere(), Boolean)
    expect(await shown(failing.id)).not.toHaveProperty('disabledReason')
  })
})

describe('a table that is known', () => {
  it('is known as soon as it is answered, and after its drop any field is accepted', async () => {
    await tenant.putTable('parts', { size: 'integer' })
    const input = { ...tenant.subscriptionInput(world.receiver.url('/x')), table: 'parts' }
    const wrong = { ...input, filter: { and: [{ size: { gt: 1 } }, { colour: 'red' }] } }
    const refused = await tenant.webhooks('POST', wrong)
    expect([refused.status, refused.body.violations?.map(({ field }) => field)]).toEqual([
      400,
      ['filter.and.1.colour'],
    ])
    await tenant.putTable('parts', { size: 'integer', colour: 'text' })
    expect((await tenant.webhooks('POST', wrong)).status).toBe(201)
    expectStatus(204, await tenant.rest('DELETE _tables/parts'))
    expect((await tenant.webhooks('POST', { ...input, select: ['anything'] })).status).toBe(201)
  })

  it.each([
    [{ total: { gte: '100' } }, ['b', 'c']],
    [{ total: { eq: '100.000' } }, ['b']],
    [{ total: { in: ['9.9', null] } }, ['a', 'd']],
    [{ count: { gt: '9' } }, ['b', 'c']],
    [{ count: { eq: '9007199254740993' } }, ['c']],
    [{ due: { gte: '2026-01-01T01:00:00+01:00' } }, ['b', 'c']],
    [{ due: { lt: '2026-01-01' } }, ['a']],
    [{ owner: { ne: 'ABCDEF00-0000-4000-8000-000000000000' } }, ['a', 'c', 'd']],
  ])('treats %j like lists over REST and GraphQL', async (filter, names) => {
    await tenant.putTable('bills', {
      name: 'text',
      total: 'decimal',
      count: 'bigint',
      due: 'timestamp',
      owner: 'uuid',
    })
    const owner = 'abcdef00-0000-4000-8000-000000000000'
    const bills = [
      { name: 'a', total: '9.90', count: 9, due: '2025-12-31T23:59:59.999Z' },
      { name: 'b', total: '100.0', count: 10, due: '2026-01-01T00:00:00Z', owner },
      { name: 'c', total: 250, count: '9007199254740993', due: '2026-02-01T00:00:00Z' },
      { name: 'd' },
    ]
    const everything = await world.listen(tenant, { table: 'bills' })
    const listener = await world.listen(tenant, { table: 'bills', filter })
    expectStatus(201, await tenant.rest('POST bills', bills))
    await everything.arrived(bills.length)
    await listener.arrived(names.length)
    const where = encodeURIComponent(JSON.stringify(filter))
    const listed = expectStatus(200, await tenant.rest<Records>(`GET bills?where=${where}`)).body
    const query = 'query ($where: Bill_where) { bills(where: $where) { records { name } } }'
    const asked = await tenant.graphql<Records>(query, { where: filter })
    const { samples } = await preview({ table: 'bills', filter })
    const namesOf = (records: readonly unknown[]) =>
      records.map((record) => (record as { name: string }).name).toSorted()
    expect({
      rest: namesOf(listed.records),
      graphql: namesOf(asked.data?.['bills']?.records ?? []),
      preview: namesOf(samples.map(({ body }) => JSON.parse(body).record)),
      webhook: namesOf(listener.payloads.map(({ record }) => record)),
    }).toEqual({ rest: names, graphql: names, preview: names, webhook: names })
  })
})
