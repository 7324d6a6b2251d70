import { randomUUID } from 'node:crypto'
import { expect, it } from '@jest/globals'
import type { EventBefore, EventDetail } from '@surehook/contracts/http/webhooks/questions'
import { deliveryId, newEventId } from '@surehook/contracts/ids'
import { type ChangeFields, logChanges } from './support/changes.ts'
import { useEvents } from './support/event-world.ts'

const under = useEvents()
const { subscribe, changed, sent } = under

async function show(eventId: string, more = ''): Promise<EventDetail> {
  const { status, text } = await under.client.call(`GET /_events/${eventId}${more}`)
  if (status !== 200) throw new Error(`${status} ${text}`)
  return JSON.parse(text) as EventDetail
}

it('shows a change, and what became of it at each subscription of its table', async () => {
  const took = await subscribe({ key: 'took' })
  const failed = await subscribe()
  const filtered = await subscribe({ filter: { status: 'never' } })
  const inactive = await subscribe({ active: false })
  const elsewhere = await subscribe({ table: 'users' })
  const event = await changed({ operation: 'INSERT', record: { id: 'r7', status: 'new' } })
  await sent(event.id, took, { status: 'delivered' })
  await sent(event.id, failed, { status: 'dead_letter' })
  const shown = await show(event.id)
  expect(shown).toMatchObject({
    ...{ eventId: event.id, table: 'orders', event: 'INSERT', recordId: event.recordId },
    ...{ timestamp: event.timestamp, record: { id: 'r7', status: 'new' }, changedFields: [] },
    webhooksLeftOut: 0,
  })
  const byId = Object.fromEntries(shown.webhooks.map((one) => [one.webhookId, one]))
  expect(byId[took]).toMatchObject({
    ...{ delivered: true, outcome: 'delivered', webhookName: 'took' },
    delivery: { id: deliveryId(event.id, took), eventId: event.id },
  })
  expect(byId[failed]).toMatchObject({ delivered: false, outcome: 'dead_letter' })
  const why = { delivered: false, outcome: 'not_delivered' }
  expect(byId[filtered]).toMatchObject({ ...why, field: 'filter.status' })
  expect(byId[inactive]).toMatchObject({ ...why, field: 'active' })
  expect(byId[elsewhere]).toBeUndefined()
})

it('shows a delivery that arrived rather than the one that was sent again for it', async () => {
  const webhook = await subscribe()
  const event = await changed()
  await sent(event.id, webhook, { status: 'dead_letter' })
  const again = await sent(event.id, webhook, { status: 'delivered', again: true })
  const { webhooks } = await show(event.id)
  expect(webhooks).toMatchObject([{ delivered: true, delivery: { id: again } }])
})

it('shows what the history knows of a change that the log no longer has', async () => {
  const [webhook, other] = [await subscribe(), await subscribe()]
  const eventId = randomUUID()
  await sent(eventId, webhook, { status: 'delivered' })
  const { webhooks, ...what } = await show(eventId)
  expect(what).toMatchObject({
    ...{ table: 'orders', event: 'INSERT', recordId: 'r7' },
    ...{ timestamp: null, record: null, changedFields: null },
  })
  const outcomes = webhooks.map(({ webhookId, outcome }) => [webhookId, outcome])
  expect(outcomes).toEqual([
    [webhook, 'delivered'],
    [other, 'unknown'],
  ])
})

it('is 404 where the environment has no such event', async () => {
  await subscribe()
  const event = await changed()
  const stranger = under.clientOf(await under.world.tenant())
  for (const [by, id] of [
    [under.client, newEventId()],
    [under.client, randomUUID()],
    [under.client, 'no-uuid'],
    [stranger, event.id],
  ] as const) {
    const { status, body } = await by.call(`GET /_events/${id}`)
    expect([status, body.error]).toEqual([404, 'EVENT_NOT_FOUND'])
  }
  const { status, body } = await under.client.call(`GET /_events/${event.id}?timestamp=today`)
  expect([status, body.violations?.[0]?.field]).toEqual([400, 'timestamp'])
})

async function before(eventId: string, by = under.client) {
  const { status, body } = await by.call<EventBefore>(`GET /_events/${eventId}/before`)
  return { status, body }
}

it('shows the change of the same record before, among those of other records', async () => {
  const of = (recordId: string, status: string, more: ChangeFields = {}): ChangeFields => ({
    ...{ recordId, operation: 'UPDATE', record: { id: recordId, status } },
    ...more,
  })
  const [own, other] = [randomUUID(), randomUUID()]
  const first = await changed(of(own, 'new', { operation: 'INSERT' }))
  const second = await changed(of(own, 'paid'))
  for (let n = 0; n < 40; n++) await changed(of(other, `${n}`))
  await changed(of(own, 'elsewhere', { table: 'invoices' }))
  const last = await changed(of(own, 'sent'))
  // The log may have a change twice.
  await logChanges(under.world, under.tenant, [{ ...last, record: { id: own, status: 'sent' } }])

  expect(await before(last.id)).toEqual({
    status: 200,
    body: {
      ...{ outcome: 'found', eventId: second.id, event: 'UPDATE' },
      ...{ timestamp: second.timestamp, record: { id: own, status: 'paid' } },
    },
  })
  expect((await before(second.id)).body).toMatchObject({ eventId: first.id, event: 'INSERT' })
  const nothing = { eventId: null, event: null, timestamp: null, record: null }
  expect((await before(first.id)).body).toEqual({ outcome: 'absent', ...nothing })

  const stranger = under.clientOf(await under.world.tenant())
  for (const asked of [before(last.id, stranger), before(newEventId()), before('none')]) {
    expect(await asked).toMatchObject({ status: 404, body: { error: 'EVENT_NOT_FOUND' } })
  }
})
