import { expect, it } from '@jest/globals'
import { filtersOf, queryOf } from './filters.ts'

it.each([
  ['', { tables: 'own' }],
  ['reserved=on', {}],
  ['table=orders&operation=UPDATE', { table: 'orders', events: ['UPDATE'], tables: 'own' }],
  ['table=_webhooks', { table: '_webhooks' }],
  ['operation=TRUNCATE', { tables: 'own' }],
])('asks for what the URL "%s" says', (url, query) => {
  expect(queryOf(filtersOf(new URLSearchParams(url)))).toEqual(query)
})
