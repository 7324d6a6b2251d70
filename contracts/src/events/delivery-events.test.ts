import { describe, expect, it } from '@jest/globals'
import type { ChangeEvent, DeliveryAttempt } from '../events.ts'
import { anAttempt } from '../testing/samples.ts'
import {
  circuitEvent,
  deactivationEvent,
  deadLetterEvent,
  deliveryEventTables,
  isAboutDeliveries,
  webhookName,
  withoutQuery,
} from './delivery-events.ts'

const tenant = { projectId: 'shop', environment: 'master' }
const url = 'https://receiver.example/hook?key=hidden'

const transition = anAttempt({
  url,
  createdAt: 1_700_000_000_000,
  step: 10,
  status: 'dead_letter',
  attempts: 5,
  at: 1_700_000_400_000,
  httpStatus: 500,
  errorClass: 'http',
  change: { table: 'orders', operation: 'UPDATE', recordId: '42', redeliveryOf: null },
})
const of = (table: string): DeliveryAttempt => ({
  ...transition,
  change: { table, operation: 'UPDATE', recordId: '42', redeliveryOf: null },
})

const recordOf = (event: ChangeEvent | null) =>
  JSON.parse(event?.record ?? 'null') as Record<string, unknown>

describe('the event of a dead letter', () => {
  it('has the delivery without body, answer and query of the URL', () => {
    const event = deadLetterEvent(transition, 'Billing')
    expect(event).toMatchObject({
      ...tenant,
      table: '_deliveries',
      recordId: transition.deliveryId,
      operation: 'INSERT',
      changedFields: [],
    })
    expect(recordOf(event)).toEqual({
      id: transition.deliveryId,
      webhookId: transition.subscriptionId,
      webhookName: 'Billing',
      eventId: transition.eventId,
      table: 'orders',
      event: 'UPDATE',
      recordId: '42',
      status: 'dead_letter',
      attempts: 5,
      httpStatus: 500,
      lastError: 'http',
      url: 'https://receiver.example/hook',
      redeliveryOf: null,
      createdAt: '2023-11-14T22:13:20.000Z',
      updatedAt: '2023-11-14T22:20:00.000Z',
    })
  })

  it('is the same event when it is made again', () => {
    const again = deadLetterEvent({ ...transition, step: 11 }, null)
    expect(again).toEqual(deadLetterEvent(transition, null))
  })

  it.each(['_deliveries', '_endpoints'])('is not made for a delivery of %s', (table) => {
    expect(deadLetterEvent(of(table), null)).toBeNull()
  })

  it.each(['users', '_webhooks'])('is made for a delivery of %s', (table) => {
    expect(recordOf(deadLetterEvent(of(table), null))).toMatchObject({ table, recordId: '42' })
  })

  it('is not made for other transitions', () => {
    expect(deadLetterEvent({ ...transition, status: 'retrying', change: null }, null)).toBeNull()
  })
})

describe('the event of a circuit', () => {
  const opening = {
    endpointId: 'e1',
    webhookId: null,
    place: { ...tenant, url: withoutQuery(url) },
    isOpen: true,
    openUntil: 1_700_000_120_000,
    at: 1_700_000_000_000,
  }

  it('has the same id when it is made again, and another one for its end and other openings', () => {
    const end = { ...opening, isOpen: false, at: opening.openUntil }
    const ids = [opening, opening, { ...end, at: 1 }, end, { ...opening, openUntil: 2 }].map(
      (one) => circuitEvent(one, null).id,
    )
    expect(ids[0]).toBe(ids[1])
    expect(ids[2]).toBe(ids[3])
    expect(new Set(ids).size).toBe(3)
  })

  it('names the one subscription that it holds up, and has an id of its own', () => {
    const webhookId = 'c1b7a0de-0d0c-4c52-9d62-1ed6cbf6d3b7'
    const event = circuitEvent({ ...opening, webhookId }, 'Billing')
    expect(recordOf(event)).toMatchObject({ id: 'e1', change: 'circuit_opened', webhookId })
    expect(recordOf(event)).toMatchObject({ webhookName: 'Billing' })
    expect(event.id).not.toBe(circuitEvent(opening, null).id)
  })

  it('has the state of the circuit', () => {
    expect(recordOf(circuitEvent(opening, null))).toEqual({
      id: 'e1',
      url: 'https://receiver.example/hook',
      change: 'circuit_opened',
      circuit: 'open',
      openUntil: '2023-11-14T22:15:20.000Z',
      webhookId: null,
      webhookName: null,
      reason: null,
      updatedAt: '2023-11-14T22:13:20.000Z',
    })
    const end = circuitEvent({ ...opening, isOpen: false }, null)
    expect(recordOf(end)).toMatchObject({ change: 'circuit_closed', circuit: 'closed' })
    expect(recordOf(end)).toMatchObject({ openUntil: null })
  })
})

it.each([
  [{ name: 'Billing of ACME', key: 'billing' }, 'Billing of ACME'],
  [{ name: null, key: 'billing' }, 'billing'],
  [{ name: null, key: null }, null],
  // An older service wrote the state.
  [{ name: null, key: '' }, null],
  [{ name: 'billing', key: '' }, 'billing'],
])('a webhook with %j is called %s', (state, name) => {
  expect(webhookName(state)).toBe(name)
})

it('each record has exactly the declared fields', () => {
  const at = new Date()
  const deactivation = { ...tenant, url, webhookId: 'w', webhookName: null, reason: 'gone', at }
  const events = [deadLetterEvent(transition, null), deactivationEvent('e', deactivation)]
  for (const event of events) {
    const fields = deliveryEventTables.get(event?.table ?? '')
    expect(Object.keys(recordOf(event)).toSorted()).toEqual([...(fields?.keys() ?? [])].toSorted())
  }
  expect(['_deliveries', '_endpoints', '_webhooks', 'orders'].map(isAboutDeliveries)).toEqual([
    ...[true, true, false, false],
  ])
})
