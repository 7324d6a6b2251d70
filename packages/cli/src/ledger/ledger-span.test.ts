import { describe, expect, it } from '@jest/globals'
import { ledgerSpan } from './ledger-span.ts'

const now = Date.UTC(2026, 0, 31, 12)
const spanOf = (given: { from?: string; to?: string }) => {
  const { from, to } = ledgerSpan({ from: '1h', to: 'now', ...given }, now)
  return [from, to]
}

describe('ledgerSpan', () => {
  it('accepts durations, times and now', () => {
    expect(spanOf({})).toEqual(['2026-01-31T11:00:00.000Z', undefined])
    expect(spanOf({ from: '2d', to: '90s' })).toEqual([
      '2026-01-29T12:00:00.000Z',
      '2026-01-31T11:58:30.000Z',
    ])
    expect(spanOf({ from: '2026-01-31T08:00:00+01:00' })).toEqual([
      '2026-01-31T07:00:00.000Z',
      undefined,
    ])
  })

  it.each([
    ['from', 'yesterday'],
    ['to', '1 h'],
  ])('refuses --%s %s', (option, value) => {
    expect(() => spanOf({ [option]: value })).toThrow(`--${option}`)
  })
})
