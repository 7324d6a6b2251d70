import { randomUUID } from 'node:crypto'
import { expect, it } from '@jest/globals'
import type { EventCounts, ListedEvent } from '@surehook/contracts/http/webhooks/event-list'
import { newEventId } from '@surehook/contracts/ids'
import { logChanges } from './support/changes.ts'
import { useEvents } from './support/event-world.ts'

const under = useEvents()
const { subscribe, changed, sent } = under

type List = { events: ListedEvent[]; limitReached: boolean }

async function list(query = '', by = under.client): Promise<List> {
  const { status, text } = await by.call(`GET /_events${query}`)
  if (status !== 200) throw new Error(`${status} ${text}`)
  return JSON.parse(text) as List
}

const idsOf = async (query = '') => (await list(query)).events.map(({ eventId }) => eventId)

async function counts(eventIds: readonly string[], by = under.client): Promise<EventCounts[]> {
  const { status, text } = await by.call(`GET /_events/counts?eventIds=${eventIds.join(',')}`)
  if (status !== 200) throw new Error(`${status} ${text}`)
  return (JSON.parse(text) as { events: EventCounts[] }).events
}

const none = { webhooks: 0, delivered: 0, pending: 0, failed: 0, cancelled: 0 }

it('lists the newest changes of the environment, by table and operation', async () => {
  const at = (second: number) => `2026-01-01T00:00:0${second}.000Z`
  const [insert, update, other, reserved, users] = await logChanges(under.world, under.tenant, [
    { timestamp: at(1), record: { id: 'r' }, recordId: 'r' },
    { timestamp: at(2), operation: 'UPDATE', recordId: 'r', changedFields: ['status'] },
    { timestamp: at(3), table: 'invoices' },
    { timestamp: at(4), table: '_deliveries' },
    { timestamp: at(5), table: 'users' },
  ])
  const all = [users, reserved, other, update, insert].map((event) => event?.id)
  expect(await idsOf()).toEqual(all)
  expect((await list('?table=orders&events=UPDATE')).events).toEqual([
    {
      ...{ eventId: update?.id, table: 'orders', event: 'UPDATE', recordId: 'r' },
      ...{ timestamp: at(2), changedFields: ['status'] },
    },
  ])
  expect(await idsOf('?tables=own')).toEqual(all.slice(2))
  expect(await idsOf('?limit=2')).toEqual(all.slice(0, 2))
  expect(await idsOf('?table=lost')).toEqual([])
})

it('lists a change once, although the log has it twice', async () => {
  const event = await changed()
  await logChanges(under.world, under.tenant, [{ ...event, record: {} }])
  expect(await idsOf()).toEqual([event.id])
})

it('lists the newest, although one record has more changes than others', async () => {
  // All changes of a record are on one partition, which a search reads in pieces.
  const busy = Array.from({ length: 100 }, () => ({ recordId: 'busy' }))
  const early = await changed()
  const made = await logChanges(under.world, under.tenant, busy)
  const late = await changed()
  const newest = [...made.map(({ id }) => id), late.id].toReversed().slice(0, 90)
  const listed = await idsOf('?limit=90')
  expect(listed.toSorted()).toEqual(newest.toSorted())
  expect(listed).not.toContain(early.id)
})

it('counts the webhooks of each event by their outcome', async () => {
  const hooks = await Promise.all(Array.from({ length: 5 }, () => subscribe()))
  const [took, failed, late, paused, stopped] = hooks as [string, string, string, string, string]
  const [event, unmatched] = [await changed(), await changed()]
  await sent(event.id, took, { status: 'delivered' })
  await sent(event.id, failed, { status: 'dead_letter' })
  await sent(event.id, late)
  await sent(event.id, paused, { status: 'paused' })
  await sent(event.id, stopped, { status: 'cancelled' })
  expect(await counts([event.id, unmatched.id])).toEqual([
    { eventId: event.id, webhooks: 5, delivered: 1, pending: 2, failed: 1, cancelled: 1 },
    { eventId: unmatched.id, ...none },
  ])
  await sent(event.id, failed, { status: 'delivered', again: true })
  expect(await counts([event.id])).toMatchObject([{ webhooks: 5, delivered: 2, failed: 0 }])
})

it('counts deliveries of an old event whose id has no time, and those of today for a new one', async () => {
  const webhook = await subscribe()
  const day = 86_400_000
  const [untimed, timed] = [randomUUID(), newEventId()]
  await sent(untimed, webhook, { status: 'delivered', at: Date.now() - 3 * day })
  await sent(timed, webhook, { status: 'delivered' })
  expect(await counts([timed, untimed])).toMatchObject([{ webhooks: 1 }, { webhooks: 1 }])
})

it('shows a stranger neither events nor their numbers', async () => {
  const webhook = await subscribe()
  const event = await changed()
  await sent(event.id, webhook, { status: 'delivered' })
  const stranger = under.clientOf(await under.world.tenant())
  expect((await list('', stranger)).events).toEqual([])
  expect(await counts([event.id], stranger)).toEqual([{ eventId: event.id, ...none }])
})

it('names the parameter that is wrong', async () => {
  const refused = async (request: string) => {
    const { status, body } = await under.client.call(request)
    return [status, body.violations?.[0]?.field]
  }
  const tooMany = Array.from({ length: 101 }, () => randomUUID()).join(',')
  for (const [request, field] of [
    ['GET /_events?limit=101', 'limit'],
    ['GET /_events?events=TRUNCATE', 'events.0'],
    ['GET /_events?table=No', 'table'],
    ['GET /_events?tables=mine', 'tables'],
    ['GET /_events/counts', 'eventIds'],
    ['GET /_events/counts?eventIds=nobody', 'eventIds.0'],
    [`GET /_events/counts?eventIds=${tooMany}`, 'eventIds'],
  ] as const) {
    expect([request, ...(await refused(request))]).toEqual([request, 400, field])
  }
})
