import { expect, it } from '@jest/globals'
import { askedOf, emptyChoice } from './stream-choice.ts'

it('asks the stream for what the form holds', () => {
  expect(askedOf(emptyChoice)).toEqual({ asked: '{}' })
  const { asked } = askedOf({ table: 'orders', from: '1h', filter: '{ "status": "paid" }' })
  expect(JSON.parse(asked)).toEqual({ table: 'orders', from: '1h', filter: { status: 'paid' } })
})

it('names a filter that is not JSON', () => {
  expect(askedOf({ ...emptyChoice, filter: '{' }).violation).toBe('must be a JSON object')
})
