import { expect, it } from '@jest/globals'
import { ReceivedIds, webhookIdOf } from './received-ids.ts'

const filled = (...ids: string[]) => {
  const received = new ReceivedIds()
  for (const id of ids) received.add(id)
  return received
}

it('does not take a repetition for a delivery', () => {
  expect(filled('a', 'b', 'a', 'a').counts).toEqual({ unique: 2, repeated: 2 })
})

it('finds the id among the headers, in any case, and not among their values', () => {
  expect(webhookIdOf({ rawHeaders: ['x-about', 'webhook-id', 'Webhook-Id', 'a'] })).toBe('a')
})

it('counts from zero, and still knows earlier ids', () => {
  const received = filled('a', 'b')
  received.startAgain()
  for (const id of ['b', 'c']) received.add(id)
  expect(received.counts).toEqual({ unique: 1, repeated: 1 })
})
