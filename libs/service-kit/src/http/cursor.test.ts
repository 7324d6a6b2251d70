import { describe, expect, it } from '@jest/globals'
import * as z from 'zod'
import { CursorTime, decodeCursor, encodeCursor, pageOf } from './cursor.ts'

const Position = z.tuple([CursorTime, z.uuid()])

describe('cursor', () => {
  it('decodes to the encoded position', () => {
    const position = ['2026-01-01T00:00:00.123Z', '0d7c4ec8-9d55-4a3c-8a0f-6f1f5b7d0f11']
    expect(decodeCursor(Position, encodeCursor(position))).toEqual(position)
    expect(decodeCursor(Position, undefined)).toBeNull()
  })

  it.each([
    '',
    'x',
    '%%%',
    encodeCursor(['a', 'b']),
    encodeCursor(null),
    encodeCursor({}),
    encodeCursor(['0000-01-01T00:00:00.000Z', '0d7c4ec8-9d55-4a3c-8a0f-6f1f5b7d0f11']),
  ])('refuses %j, naming the cursor', (cursor) => {
    expect(() => decodeCursor(Position, cursor)).toThrow(
      expect.objectContaining({
        code: 'VALIDATION_ERROR',
        violations: [expect.objectContaining({ field: 'cursor' })],
      }),
    )
  })
})

it('refuses text that PostgreSQL cannot store', () => {
  for (const text of ['a\0b', '\ud800']) {
    expect(() => decodeCursor(z.string(), encodeCursor(text))).toThrow(
      expect.objectContaining({ code: 'VALIDATION_ERROR' }),
    )
    expect(() => decodeCursor(z.tuple([z.string()]), encodeCursor([text]))).toThrow(
      expect.objectContaining({ code: 'VALIDATION_ERROR' }),
    )
  }
})

describe('pageOf', () => {
  it('has a cursor only when more rows follow', () => {
    const { page, nextCursor } = pageOf([1, 2, 3], 2, (n) => n)
    expect(page).toEqual([1, 2])
    expect(decodeCursor(z.number(), nextCursor ?? undefined)).toBe(2)
    expect(pageOf([1, 2], 2, (n) => n)).toEqual({ page: [1, 2], nextCursor: null })
    expect(pageOf([], 2, (n) => n)).toEqual({ page: [], nextCursor: null })
  })
})
