import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { quoteIdent } from './quote.ts'

/** Parses an identifier as PostgreSQL would. Returns `null` if the text continues after it. */
function identifierIn(sql: string): string | null {
  const match = /^"((?:[^"]|"")*)"$/.exec(sql)
  return match?.[1]?.replaceAll('""', '"') ?? null
}

describe('quoteIdent', () => {
  test('whatever the name, it stays one identifier, and the same one', () => {
    const names = fc.oneof(
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 15 }),
      fc.string({
        unit: fc.constantFrom('"', ';', '\\', "'", '-', ' ', '.'),
        minLength: 1,
        maxLength: 60,
      }),
    )
    fc.assert(
      fc.property(names, (name) => {
        fc.pre(!name.includes('\0') && Buffer.byteLength(name) <= 63)
        expect(identifierIn(quoteIdent(name))).toBe(name)
      }),
    )
  })

  test.each(['', 'a'.repeat(64), 'ä'.repeat(32), 'a\0b'])('%j is refused, not cut', (name) => {
    expect(() => quoteIdent(name)).toThrow(RangeError)
  })
})
