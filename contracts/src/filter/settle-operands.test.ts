import { describe, expect, it, test } from '@jest/globals'
import fc from 'fast-check'
import { allFields, filterJson, row } from '../../test/filter-arbitraries.ts'
import { compileFilter } from './compile-filter.ts'
import { parseFilter } from './parse-filter.ts'
import { settleOperands } from './settle-operands.ts'

type Json = Record<string, unknown>

const settle = (filter: Json) => settleOperands(filter, allFields)

function predicate(filter: unknown, fields?: typeof allFields) {
  const parsed = parseFilter(filter, { fields })
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.violations))
  return compileFilter(parsed.filter)
}

/** Formats a record as the data API does: times in milliseconds, UUIDs in lower case. */
const asRecord = ({ moment, ref, ...rest }: Json): Json => ({
  ...rest,
  moment: moment && new Date(moment as string).toISOString(),
  ref: ref && (ref as string).toLowerCase(),
})

describe('settleOperands', () => {
  test('makes a filter that gives the same results without the field types', () => {
    let compared = 0
    const rows = fc.array(row.map(asRecord), { minLength: 5, maxLength: 10 })
    fc.assert(
      fc.property(rows, filterJson, (records, filter) => {
        const settled = settle(filter as Json)
        if (!settled.ok) return
        const [typed, untyped] = [predicate(filter, allFields), predicate(settled.filter)]
        for (const record of records) {
          expect({ record, settled, holds: untyped(record, []) }).toEqual({
            record,
            settled,
            holds: typed(record, []),
          })
        }
        compared += 1
      }),
      { numRuns: 600 },
    )
    expect(compared).toBeGreaterThan(300)
  })

  it.each<[Json, Json]>([
    [{ price: '12.50' }, { price: 12.5 }],
    [{ price: { in: ['1.0', null, 2] } }, { price: { in: [1, null, 2] } }],
    [{ big: { gt: '7' } }, { big: { gt: 7 } }],
    [{ big: '9007199254740993' }, { big: '9007199254740993' }],
    [{ moment: '2026-01-01T01:00:00+01:00' }, { moment: '2026-01-01T00:00:00.000Z' }],
    [{ moment: { gte: '2026-01-01' } }, { moment: { gte: '2026-01-01T00:00:00.000Z' } }],
    [
      {
        moment: { gt: '2026-01-01T00:00:00.0005Z', gte: '2026-01-01T00:00:00.0005Z' },
      },
      { moment: { gt: '2026-01-01T00:00:00.000Z', gte: '2026-01-01T00:00:00.001Z' } },
    ],
    [
      { not: { or: [{ ref: 'ABCDEF00-0000-0000-0000-000000000000' }] } },
      { not: { or: [{ ref: 'abcdef00-0000-0000-0000-000000000000' }] } },
    ],
    [
      { changed: ['price'], words: '12.50', 'doc.price': '12.50', flag: true },
      { changed: ['price'], words: '12.50', 'doc.price': '12.50', flag: true },
    ],
  ])('of %j is %j', (filter, settled) => {
    expect(settle(filter)).toEqual({ ok: true, filter: settled })
  })

  it.each<[Json, string]>([
    [{ price: '12345678901234567890.5' }, 'price'],
    [{ or: [{ big: { in: ['1'] } }, { big: { lt: '9007199254740993' } }] }, 'or.1.big.lt'],
    [{ price: { in: [1, '10000000000000000000'] } }, 'price.in.1'],
  ])('of %j is refused at %s', (filter, field) => {
    expect(settle(filter)).toEqual({
      ok: false,
      violations: [{ field, message: expect.stringContaining('digits'), rule: 'invalid_filter' }],
    })
  })

  it('applies the limits on a filter to the result', () => {
    const days = Array.from({ length: 9 }, () =>
      Array.from({ length: 100 }, (_, day) =>
        new Date(day * 86_400_000).toISOString().slice(0, 10),
      ),
    )
    const filter = { or: days.map((list) => ({ moment: { in: list } })) }
    expect(parseFilter(filter, { fields: allFields }).ok).toBe(true)
    expect(settle(filter)).toMatchObject({ ok: false, violations: [{ field: '' }] })
  })
})
