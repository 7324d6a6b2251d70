import { expect, it } from '@jest/globals'
import type { Endpoint, Subscription } from '@surehook/client'
import { troublesOf } from './troubles.ts'

const webhook = (id: string, more: Partial<Subscription> = {}) =>
  ({ id, url: `https://${id}.example/hooks`, active: true, ...more }) as Subscription

const endpoint = (id: string, webhooks: string[], more: Partial<Endpoint> = {}) =>
  ({
    ...{ id, url: `https://${id}.example/hooks`, webhooks, refusedWebhooks: [] },
    ...{ circuit: 'closed' },
    ...more,
  }) as Endpoint

const dead = (deadLetter: number) => ({
  counts: { delivered: 9, retrying: 9, deadLetter, cancelled: 9 },
})

const ids = (list: readonly Subscription[]) => list.map(({ id }) => id)

it('lists each URL once, the worst first', () => {
  const webhooks = [
    webhook('well'),
    webhook('warned', { warnings: [{ field: 'filter', message: 'matches nothing' }] }),
    webhook('few'),
    webhook('many'),
    webhook('disabled', { active: false, disabledReason: 'It failed for 5 days.' }),
    webhook('paused', { active: false }),
    webhook('open'),
  ]
  const endpoints = [
    ...['well', 'warned', 'few', 'many'].map((id) => endpoint(id, [id])),
    endpoint('open', ['open'], { circuit: 'open' }),
  ]
  const numbers = new Map([
    ['few', dead(1)],
    ['many', dead(3)],
    ['well', dead(0)],
  ])
  const found = troublesOf({ webhooks, endpoints, numbers })
  expect(found.map(({ label, deadLetters }) => [label, deadLetters])).toEqual([
    ['open.example/hooks', 0],
    ['disabled.example/hooks', 0],
    ['many.example/hooks', 3],
    ['few.example/hooks', 1],
    ['warned.example/hooks', 0],
  ])
})

it('puts all troubles of one URL together', () => {
  const url = 'https://shop.example/hooks'
  const webhooks = [
    webhook('a', { url }),
    webhook('b', { url, warnings: [{ field: 'filter', message: 'matches nothing' }] }),
    webhook('c', { url }),
    webhook('well', { url }),
  ]
  const shop = endpoint('shop', ['a', 'b', 'c', 'well'], { refusedWebhooks: ['c'] })
  const numbers = new Map([
    ['a', dead(2)],
    ['b', dead(5)],
  ])
  const [trouble, ...others] = troublesOf({ webhooks, endpoints: [shop], numbers })
  expect(others).toEqual([])
  expect(trouble).toMatchObject({ label: 'shop.example/hooks', open: shop, deadLetters: 7 })
  expect(ids(trouble?.dead ?? [])).toEqual(['b', 'a'])
  expect(ids(trouble?.webhooks ?? [])).toEqual(['a', 'b', 'c'])
})

it('shows an open circuit whose webhooks are not listed', () => {
  const endpoints = [endpoint('old', ['old'], { circuit: 'open' }), endpoint('well', ['gone'])]
  const found = troublesOf({ webhooks: [], endpoints, numbers: new Map() })
  expect(found.map(({ label }) => label)).toEqual(['old.example/hooks'])
})
