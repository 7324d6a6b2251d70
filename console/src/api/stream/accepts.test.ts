import { expect, it } from '@jest/globals'
import { acceptsFor } from './accepts.ts'

it.each([
  [false, '', ['orders']],
  [true, '', ['orders', 'users', '_webhooks']],
  [false, 'orders', ['orders']],
  [false, 'users', ['orders', 'users', '_webhooks']],
])('with the switch %s and the table "%s" shows %j', (isShown, table, shown) => {
  const accepts = acceptsFor(isShown, table)
  const tables = ['orders', 'users', '_webhooks']
  expect(tables.filter((one) => accepts({ table: one }))).toEqual(shown)
  // Another function would begin the stream anew.
  expect(acceptsFor(isShown, table)).toBe(accepts)
})
