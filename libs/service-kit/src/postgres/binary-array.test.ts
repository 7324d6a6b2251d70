import { describe, expect, test } from '@jest/globals'
import { binaryArray } from './binary-array.ts'
import type { BinaryType } from './binary-values.ts'

const header = (type: number, count: number, nulls = 0) =>
  [1, nulls, type, count, 1].map((n) => n.toString(16).padStart(8, '0')).join('')

const hexOf = <Type extends BinaryType>(
  type: Type,
  values: Parameters<typeof binaryArray<Type, never>>[2] extends (row: never) => infer V
    ? V[]
    : never,
) => binaryArray(type, values, (value) => value).toString('hex')

describe('binaryArray', () => {
  test('writes each type as PostgreSQL reads it', () => {
    expect(hexOf('integer', [1, -1])).toBe(`${header(23, 2)}000000040000000100000004ffffffff`)
    expect(hexOf('bigint', [2 ** 40, -1])).toBe(
      `${header(20, 2)}00000008000001000000000000000008ffffffffffffffff`,
    )
    expect(hexOf('text', ['é'])).toBe(`${header(25, 1)}00000002c3a9`)
    expect(hexOf('bytea', [Buffer.from([0, 255])])).toBe(`${header(17, 1)}0000000200ff`)
    expect(hexOf('uuid', ['6F9f1a52-61c9-5c38-9d0b-7f8f3c1e2a10'])).toBe(
      `${header(2950, 1)}000000106f9f1a5261c95c389d0b7f8f3c1e2a10`,
    )
    expect(hexOf('timestamptz', [Date.UTC(2000, 0, 1) + 1, Date.UTC(2000, 0, 1) - 1])).toBe(
      `${header(1184, 2)}0000000800000000000003e800000008fffffffffffffc18`,
    )
    expect(hexOf('date', [Date.UTC(2000, 0, 2) - 1, Date.UTC(2000, 0, 2)])).toBe(
      `${header(1082, 2)}00000004000000000000000400000001`,
    )
  })

  test('distinguishes null from empty, and grows for large values', () => {
    expect(hexOf('text', [null, ''])).toBe(`${header(25, 2, 1)}ffffffff00000000`)
    const large = Buffer.alloc(100_000, 7)
    const encoded = binaryArray('bytea', [large, null, large], (value) => value)
    expect(encoded.length).toBe(20 + 3 * 4 + 2 * large.length)
    expect(encoded.subarray(-large.length).equals(large)).toBe(true)
  })

  test('refuses a malformed UUID with the error of PostgreSQL', () => {
    expect(() => hexOf('uuid', ['6f9f1a52-61c9-5c38-9d0b-7f8f3c1e2a1'])).toThrow('not a UUID')
    expect(() => hexOf('uuid', ['6f9f1a52-61c9-5c38-9d0b-7f8f3c1e2a1011'])).toThrow('not a UUID')
    expect(() => hexOf('uuid', ['6f9f1a52-61c9-5c38-9d0b-7f8f3c1e2aé0'])).toThrow('not a UUID')
    expect(() => hexOf('uuid', ['zf9f1a52-61c9-5c38-9d0b-7f8f3c1e2a10'])).toThrow('not a UUID')
  })
})
