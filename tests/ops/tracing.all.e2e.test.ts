import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import { expectStatus } from '@surehook/scripts/client/call'
import type { Tenant } from '@surehook/scripts/client/tenant'
import type { Receipt } from '@surehook/scripts/receiver/receiver'
import { type Collector, openCollector, type Span } from '../support/deliveries/collector.ts'
import { type ListeningWorld, openListeningWorld } from '../support/listening-world.ts'

let collector: Collector
let world: ListeningWorld
let tenant: Tenant

beforeAll(async () => {
  collector = await openCollector()
  world = await openListeningWorld({ env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint } })
})
afterAll(async () => {
  await world?.[Symbol.asyncDispose]()
  await collector?.[Symbol.asyncDispose]()
})
beforeEach(async () => {
  tenant = await world.tenant()
})

const publish = 'changes publish'
const match = 'changes match'
const attempt = 'POST delivery'

/** Trace headers of a caller. The flags state whether its trace is sampled. */
const callers = (flags = '01') => {
  const [traceId, spanId] = [randomBytes(16).toString('hex'), randomBytes(8).toString('hex')]
  return { traceId, spanId, traceparent: `00-${traceId}-${spanId}-${flags}` }
}
const sentTo = ({ headers }: Receipt) => {
  const [, traceId = '', spanId, flags] = headers['traceparent']?.split('-') ?? []
  return { traceId, spanId, flags }
}
const named = (spans: Span[], name: string) => spans.filter((span) => span.name === name)

async function inserted(headers: Record<string, string> = {}): Promise<string> {
  return expectStatus(201, await tenant.rest('POST orders', { status: 'new' }, headers)).body.id
}

describe('a traced write', () => {
  it('is one trace from its caller through gateway, service, relay and matcher to the receiver', async () => {
    const listener = await world.listen(tenant)
    const caller = callers()
    await inserted({ traceparent: caller.traceparent, 'x-request-id': 'the-insert' })
    const receipt = await listener.firstReceipt()
    const spans = await collector.trace(caller.traceId, { name: attempt, count: 1 })
    expect(spans.map(({ service, name, kind }) => [service, kind, name])).toEqual([
      ['gateway', 'server', 'POST /gw/api'],
      ['data-api', 'server', 'POST /api/rest/{table}'],
      ['data-api', 'producer', publish],
      ['webhook-matcher', 'consumer', match],
      ['webhook-dispatcher', 'client', attempt],
    ])
    expect(spans.map(({ parent }) => parent)).toEqual([
      caller.spanId,
      ...spans.slice(0, -1).map(({ spanId }) => spanId),
    ])
    expect(sentTo(receipt)).toEqual({
      traceId: caller.traceId,
      spanId: spans.at(-1)?.spanId,
      flags: '01',
    })
  })

  it("has ids, status and tenant, and neither a credential nor the receiver's path", async () => {
    const listener = await world.listen(tenant)
    const caller = callers()
    await inserted({ traceparent: caller.traceparent, 'x-request-id': 'the-insert' })
    const receipt = await listener.firstReceipt()
    const spans = await collector.trace(caller.traceId, { name: attempt, count: 1 })
    const [gateway, , relay] = spans
    const of = { 'surehook.project.id': tenant.projectId, 'surehook.environment': 'master' }
    expect(gateway?.attributes).toMatchObject({
      ...of,
      'http.response.status_code': 201,
      'surehook.request.id': 'the-insert',
    })
    const { id: eventId } = JSON.parse(receipt.body) as { id: string }
    expect(relay?.attributes).toMatchObject({ ...of, 'surehook.event.id': eventId })
    expect(spans.at(-1)?.attributes).toMatchObject({
      ...of,
      'surehook.event.id': eventId,
      'surehook.subscription.id': listener.id,
      'surehook.delivery.id': receipt.headers['webhook-id'],
      'surehook.attempt': 1,
      'http.response.status_code': 204,
      'server.address': 'localhost',
    })
    const exported = JSON.stringify(collector.spans)
    expect(exported).not.toContain(tenant.token)
    expect(exported).not.toContain(listener.path)
  })

  it('begins its trace at the gateway when the caller has none', async () => {
    const listener = await world.listen(tenant)
    await inserted()
    const { traceId } = sentTo(await listener.firstReceipt())
    const [first] = await collector.trace(traceId, { name: attempt, count: 1 })
    expect(first).toMatchObject({ service: 'gateway', parent: null })
  })

  it('is not exported if its caller did not sample it, but the receiver gets its context', async () => {
    const listener = await world.listen(tenant)
    const silent = callers('00')
    await inserted({ traceparent: silent.traceparent })
    expect(sentTo(await listener.firstReceipt())).toMatchObject({
      traceId: silent.traceId,
      flags: '00',
    })
    // A later trace was exported, so an earlier one would have been exported too.
    const caller = callers()
    await inserted({ traceparent: caller.traceparent })
    await collector.trace(caller.traceId, { name: attempt, count: 1 })
    expect(collector.spans.filter(({ traceId }) => traceId === silent.traceId)).toEqual([])
  })
})

describe('a delivery that is attempted again', () => {
  it('has all attempts as children of its match, each linked to the one before', async () => {
    const fail = (_: Receipt, nth: number) => ({ status: nth <= 2 ? 503 : 204 })
    const listener = await world.listen(tenant, {}, fail)
    const caller = callers()
    await inserted({ traceparent: caller.traceparent })
    await listener.arrived(3)
    const spans = await collector.trace(caller.traceId, { name: attempt, count: 3 })
    const attempts = named(spans, attempt)
    const [matched] = named(spans, match)
    expect(
      attempts.map(({ parent, failed, links, attributes }) => ({
        parent,
        failed,
        links,
        number: attributes['surehook.attempt'],
      })),
    ).toEqual([
      { parent: matched?.spanId, failed: true, links: [], number: 1 },
      { parent: matched?.spanId, failed: true, links: [attempts[0]?.spanId], number: 2 },
      { parent: matched?.spanId, failed: false, links: [attempts[1]?.spanId], number: 3 },
    ])
    expect(listener.receipts.map((receipt) => sentTo(receipt).spanId)).toEqual(
      attempts.map(({ spanId }) => spanId),
    )
  })
})

describe('a repeated delivery', () => {
  it('of a replay is in the trace of the change', async () => {
    const listener = await world.listen(tenant)
    const caller = callers()
    await inserted({ traceparent: caller.traceparent })
    const original = (await listener.firstReceipt()).headers['webhook-id']
    const from = new Date(Date.now() - 60_000).toISOString()
    expectStatus(202, await tenant.webhooks(`POST /${listener.id}/replay`, { from }))
    const [, again] = await world.receiver.waitFor(listener.path, 2)
    const spans = await collector.trace(caller.traceId, { name: attempt, count: 2 })
    const [published] = named(spans, publish)
    expect(named(spans, attempt)[1]).toMatchObject({
      parent: published?.spanId,
      attributes: { 'surehook.redelivery_of': original },
    })
    expect(again && sentTo(again).traceId).toBe(caller.traceId)
  })

  it("of a redelivery is in the trace of the redelivery's request", async () => {
    const listener = await world.listen(tenant)
    await inserted()
    const delivered = await listener.log(([newest]) => newest?.status === 'delivered')
    const caller = callers()
    const path = `POST /${listener.id}/deliveries/${delivered[0]?.id}/redeliver`
    expectStatus(202, await tenant.webhooks(path, undefined, { traceparent: caller.traceparent }))
    const spans = await collector.trace(caller.traceId, { name: attempt, count: 1 })
    // Spans of one millisecond have no order.
    const spanOf = (name: string) => spans.find(({ service }) => service === name)
    expect(spans).toHaveLength(3)
    const again = spanOf('webhook-dispatcher')
    expect(spanOf('webhook-api')?.parent).toBe(spanOf('gateway')?.spanId)
    expect(again?.parent).toBe(spanOf('webhook-api')?.spanId)
    expect(again?.attributes).toMatchObject({ 'surehook.redelivery_of': delivered[0]?.id })
  })
})
