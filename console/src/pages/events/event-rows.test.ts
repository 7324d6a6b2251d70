import { expect, it } from '@jest/globals'
import type { ChangeEvent, EventCounts } from '@surehook/client'
import { areUnsettled, askedIds, type EventRow, isMatched, newestEvents } from './event-rows.ts'

const now = Date.parse('2026-01-01T12:00:00.000Z')
const ago = (seconds: number) => new Date(now - seconds * 1_000).toISOString()

const row = (eventId: string, seconds: number): EventRow => ({
  ...{ eventId, table: 'orders', event: 'INSERT', recordId: 'r' },
  timestamp: ago(seconds),
})

const counts = (eventId: string, fields: Partial<EventCounts> = {}): [string, EventCounts] => [
  eventId,
  { eventId, webhooks: 1, delivered: 1, pending: 0, failed: 0, cancelled: 0, ...fields },
]

const change = (id: string, seconds: number, recordId: unknown = 'r') =>
  ({ id, timestamp: ago(seconds), record: { id: recordId } }) as unknown as ChangeEvent
const listed = (eventId: string, seconds: number) => ({
  ...row(eventId, seconds),
  ...{ recordId: 'listed', changedFields: [] },
})

it('shows the newest events first, each once, and 50 in all', () => {
  const rows = newestEvents(
    [change('b', 2), change('d', 0), change('c', 0)],
    [listed('b', 2), listed('a', 3)],
  )
  expect(rows.map(({ eventId }) => eventId)).toEqual(['d', 'c', 'b', 'a'])
  const many = Array.from({ length: 60 }, (_, n) => change(`${n}`, n))
  expect(newestEvents(many, [])).toHaveLength(50)
})

it('knows the record of a streamed event by its id, if it has one', () => {
  const rows = newestEvents([change('a', 0), change('b', 1, 7)], [])
  expect(rows.map(({ recordId }) => recordId)).toEqual(['r', null])
})

it('counts the unknown events first, and often only while numbers change', () => {
  const rows = [row('settled', 1), row('waits', 2), row('old', 90), row('unknown', 91)]
  const known = new Map([
    counts('settled'),
    counts('waits', { delivered: 0, pending: 1 }),
    counts('old', { delivered: 0, pending: 1 }),
  ])
  expect(askedIds(rows, known, now)).toEqual(['unknown', 'waits', 'settled', 'old'])
  expect(areUnsettled(rows, known, now)).toBe(true)
  expect(areUnsettled([row('settled', 1), row('old', 90)], known, now)).toBe(false)
  expect(areUnsettled([row('none', 1)], new Map([counts('none', { webhooks: 0 })]), now)).toBe(true)
})

it('says that an event has no webhook once the matcher had its time', () => {
  expect([isMatched(row('a', 1), now), isMatched(row('a', 6), now)]).toEqual([false, true])
})
