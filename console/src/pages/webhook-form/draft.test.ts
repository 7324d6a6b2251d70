import { expect, it } from '@jest/globals'
import type { Subscription } from '@surehook/client'
import { changeOf, draftOf, emptyDraft, newWebhookOf, parseDraft, stillTrue } from './draft.ts'

const webhook: Subscription = {
  id: 'w',
  projectId: 'p',
  environment: 'e',
  table: 'orders',
  events: ['INSERT'],
  url: 'https://example.com/',
  active: true,
  filter: { status: 'paid' },
  policy: { headerNames: ['x-key'], concurrency: 2 },
  createdAt: '2026-01-01T00:00:00.000Z',
}

it('makes a webhook of what was typed', () => {
  const texts = { name: ' Billing of ACME', description: 'Paid orders.\n', key: '' }
  const target = { table: 'orders', url: 'https://a/', secret: 's', select: 'a, b,' }
  const draft = { ...emptyDraft, ...texts, ...target }
  expect(newWebhookOf({ ...draft, filter: '{"n":{"gt":1}}' })).toMatchObject({
    violations: [],
    input: {
      name: 'Billing of ACME',
      description: 'Paid orders.',
      key: null,
      table: 'orders',
      events: ['INSERT', 'UPDATE', 'DELETE'],
      url: 'https://a/',
      secret: 's',
      active: true,
      filter: { n: { gt: 1 } },
      select: ['a', 'b'],
      policy: null,
    },
  })
})

it.each([
  ['{', /is not JSON/],
  ['[1]', /must be a JSON object/],
  ['null', /must be a JSON object/],
])('names the field of %s', (filter, message) => {
  const { violations } = parseDraft({ ...emptyDraft, table: 'orders', filter })
  expect(violations).toEqual([{ field: 'filter', message: expect.stringMatching(message) }])
})

it('asks for a table and an operation', () => {
  const { violations } = parseDraft({ ...emptyDraft, events: [] })
  expect(violations.map(({ field }) => field)).toEqual(['table', 'events'])
})

it('sends only what changed, so that hidden headers survive', () => {
  const draft = draftOf(webhook)
  expect(changeOf(draft, webhook).input).toEqual({})
  expect(changeOf({ ...draft, filter: '' }, webhook).input).toEqual({ filter: null })
  const named = { ...webhook, name: 'Billing', description: 'Two\nlines', key: 'billing' }
  expect(changeOf(draftOf(named), named).input).toEqual({})
  expect(changeOf({ ...draftOf(named), name: ' ' }, named).input).toEqual({ name: null })
  expect(changeOf({ ...draft, policy: '{"concurrency":3}' }, webhook).input).toEqual({
    policy: { concurrency: 3 },
  })
})

it.each([
  ['{"ordered":"record"}', { concurrency: null, ordered: 'record' }],
  ['{"concurrency":null}', { concurrency: null }],
  ['{}', { concurrency: null }],
  [' ', { concurrency: null }],
  ['', { concurrency: null }],
])('resets the keys that the policy %j no longer shows, and no header', (policy, sent) => {
  expect(changeOf({ ...draftOf(webhook), policy }, webhook).input).toEqual({ policy: sent })
})

it('forgets what was wrong with a field once the field changed', () => {
  const violations = ['filter.or.0.a', 'url', 'body'].map((field) => ({ field, message: 'no' }))
  const draft = { ...emptyDraft, filter: '{"a":1}' }
  expect(stillTrue(violations, { sent: draft, draft })).toHaveLength(3)
  const fields = stillTrue(violations, { sent: emptyDraft, draft }).map(({ field }) => field)
  expect(fields).toEqual(['url', 'body'])
})

it('names a condition that is not finished', () => {
  const { violations } = parseDraft({ ...emptyDraft, table: 'orders', filter: '{"or":[{"":1}]}' })
  expect(violations).toMatchObject([{ field: 'filter.or.0.', message: 'needs a column' }])
})
