import { describe, expect, test } from '@jest/globals'
import type { Column } from './binary-values.ts'
import { binaryRows } from './copy-rows.ts'

type Row = { id: number; name: string | null }

const columns: readonly Column<Row>[] = [
  { name: 'id', type: 'integer', valueOf: ({ id }) => id },
  { name: 'name', type: 'text', valueOf: ({ name }) => name },
]

const header = '5047434f50590aff0d0a000000000000000000'
const end = 'ffff'

describe('binaryRows', () => {
  test('writes rows as PostgreSQL reads them', () => {
    const rows = [
      { id: 1, name: 'é' },
      { id: -1, name: null },
    ]
    const [first, second] = ['0002000000040000000100000002c3a9', '000200000004ffffffffffffffff']
    expect(binaryRows(columns, rows).toString('hex')).toBe(`${header}${first}${second}${end}`)
    expect(binaryRows(columns, []).toString('hex')).toBe(`${header}${end}`)
  })

  test('grows for large values', () => {
    const name = 'x'.repeat(100_000)
    const encoded = binaryRows(columns, [{ id: 1, name }])
    expect(encoded.length).toBe(19 + 2 + 8 + 4 + name.length + 2)
    expect(encoded.subarray(33, -2).toString()).toBe(name)
  })
})
