import { expect, it } from '@jest/globals'
import { countableEvents } from './count-event-deliveries.ts'

const events = Array.from({ length: 100 }, (_, n) => `${n}`)

it.each([
  [0, 100],
  [100, 100],
  [1_000, 10],
  [100_000, 1],
])('of %i subscriptions, one request counts %i events', (subscriptions, most) => {
  expect(countableEvents(events, subscriptions)).toEqual(events.slice(0, most))
})

it('counts an event once', () => {
  expect(countableEvents(['a', 'b', 'a'], 1)).toEqual(['a', 'b'])
})
