import { describe, expect, it } from '@jest/globals'
import type { FoundDelivery, Subscription } from '@surehook/client'
import {
  type Entry,
  idEntries,
  matching,
  mayBeId,
  pageEntry,
  projectEntries,
  webhookEntry,
} from './entries.ts'

const labels = (entries: readonly Entry[]) => entries.map(({ label }) => label)
const named = (...names: string[]) => names.map((name) => pageEntry({ to: `/${name}`, name }))

describe('the entries for a query', () => {
  it('begin with those whose label begins with it, then a word of it', () => {
    const entries = named('The webhooks', 'Stale hooks', 'Webhooks', 'New webhook')
    expect(labels(matching(entries, ' WEB '))).toEqual(['Webhooks', 'The webhooks', 'New webhook'])
  })

  it('have all of its words, in any order', () => {
    expect(labels(matching(named('New webhook', 'New table'), 'web new'))).toEqual(['New webhook'])
    expect(matching(named('New webhook'), 'web old')).toEqual([])
  })

  it('are all of them without a query', () => {
    expect(labels(matching(named('b', 'a'), ''))).toEqual(['b', 'a'])
  })
})

it('shows what tells webhooks of one name apart', () => {
  const webhook = {
    id: '1',
    name: 'Billing',
    key: 'bill',
    url: 'https://a.example/x',
    table: 'orders',
  }
  expect(webhookEntry(webhook as Subscription)).toMatchObject({
    label: 'Billing',
    detail: 'bill · a.example/x · orders',
    choice: { to: '/webhooks/1' },
  })
  const { name: _name, key: _key, ...unnamed } = webhook
  expect(webhookEntry(unnamed as Subscription)).toMatchObject({
    label: 'a.example/x',
    detail: 'orders',
  })
})

const id = '6f9f1a52-61c9-5c38-9d0b-7f8f3c1e2a10'

describe('a pasted id', () => {
  const delivery = {
    id,
    webhookId: 'w',
    eventId: 'e',
    event: 'INSERT',
    table: 'orders',
    createdAt: '2026-01-01T00:00:00.000Z',
  } as FoundDelivery

  it.each([
    [id, true],
    ['order-2026-17', true],
    ['webhooks', false],
    ['12', false],
    ['a b 12345678', false],
    ['x1'.repeat(65), false],
  ])('%s may be one: %s', (text, expected) => {
    expect(mayBeId(text)).toBe(expected)
  })

  it('leads to the delivery', () => {
    const entries = idEntries({ id, delivery, ofEvent: undefined })
    expect(entries).toMatchObject([
      { label: `Delivery ${id}`, detail: 'INSERT orders', choice: { to: `/deliveries/w/${id}` } },
    ])
  })

  it('leads to the event, from the time of its delivery if the id tells none', () => {
    const [entry] = idEntries({ id: 'order-17', delivery: undefined, ofEvent: delivery })
    expect(entry?.choice).toEqual({
      kind: 'go',
      to: '/events/order-17?at=2026-01-01T00%3A00%3A00.000Z',
    })
  })

  it('may be of an event without deliveries, if it is a UUID', () => {
    const nothing = { delivery: undefined, ofEvent: undefined }
    expect(labels(idEntries({ id, ...nothing }))).toEqual([`Event ${id}`])
    expect(idEntries({ id: 'order-17', ...nothing })).toEqual([])
  })
})

it('keeps the kind of page for another project', () => {
  const shop = { id: 'shop', environments: ['master', 'test'], createdAt: '' }
  expect(labels(projectEntries(shop, '/operator'))).toEqual([
    'shop / master',
    'shop / test',
    'shop',
  ])
  expect(labels(projectEntries(shop, '/operator/projects/a/tokens'))[0]).toBe('shop')
})
