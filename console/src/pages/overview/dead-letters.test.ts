import { expect, it } from '@jest/globals'
import type { Subscription } from '@surehook/client'
import { deadLettersOf } from './dead-letters.ts'

const webhook = (id: string) => ({ id }) as Subscription
const counts = (deadLetter: number) => ({
  counts: { delivered: 9, retrying: 9, deadLetter, cancelled: 9 },
})

it('names the webhooks with dead letters, the most first', () => {
  const webhooks = ['none', 'one', 'unread', 'three'].map(webhook)
  const numbers = new Map([
    ['none', counts(0)],
    ['one', counts(1)],
    ['three', counts(3)],
  ])
  const found = deadLettersOf(webhooks, numbers).map((one) => [one.webhook.id, one.count])
  expect(found).toEqual([
    ['three', 3],
    ['one', 1],
  ])
})
