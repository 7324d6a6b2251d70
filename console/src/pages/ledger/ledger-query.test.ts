import { expect, it } from '@jest/globals'
import { ledgerQueryOf } from './ledger-query.ts'

const now = new Date('2026-01-02T12:00:00Z')
const ask = (text: string) => ledgerQueryOf(new URLSearchParams(text), now)

it('asks for all tenants, or for one', () => {
  expect(ask('').query).toEqual({ from: '2026-01-02T11:00:00.000Z' })
  expect(ask('within=24h&project=shop').query).toEqual({
    from: '2026-01-01T12:00:00.000Z',
    project: 'shop',
  })
})

it('names the end of a span as the API does', () => {
  const { query } = ask('within=own&from=2026-01-01T00:00Z&until=2026-01-01T01:00Z')
  expect(query).toEqual({ from: '2026-01-01T00:00:00.000Z', to: '2026-01-01T01:00:00.000Z' })
  expect(ask('within=own').violations).toEqual([{ field: 'from', message: 'must be a time' }])
})
