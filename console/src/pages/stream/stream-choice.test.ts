import { expect, it } from '@jest/globals'
import { askedOf, emptyChoice } from './stream-choice.ts'

it('asks the stream for what the form holds', () => {
  expect(askedOf(emptyChoice)).toEqual({ asked: '{}', violations: [] })
  const { asked } = askedOf({
    ...emptyChoice,
    ...{ table: 'orders', from: '1h', filter: '{ "status": "paid" }' },
  })
  expect(JSON.parse(asked)).toEqual({ table: 'orders', from: '1h', filter: { status: 'paid' } })
})

it('asks for the chosen operations, at least one', () => {
  const { asked } = askedOf({ ...emptyChoice, events: ['DELETE', 'INSERT'] })
  expect(JSON.parse(asked)).toEqual({ events: ['INSERT', 'DELETE'] })
  const { violations } = askedOf({ ...emptyChoice, events: [] })
  expect(violations).toEqual([{ field: 'events', message: 'must be at least one' }])
})

it('names a filter that is not JSON', () => {
  const { violations } = askedOf({ ...emptyChoice, filter: '{' })
  expect(violations).toEqual([{ field: 'filter', message: expect.stringContaining('is not JSON') }])
})
