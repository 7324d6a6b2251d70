import { expect, it } from '@jest/globals'
import fc from 'fast-check'
import { IdTable } from './id-table.ts'

const id = fc.integer({ min: 0, max: 60 }).map(String)

it('keeps the row of each id until it is deleted, whatever was added and deleted', () => {
  const step = fc.record({ id, isAdded: fc.boolean() })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 300 }), (steps) => {
      const table = new IdTable()
      const expected = new Map<string, number>()
      for (const { id: of, isAdded } of steps) {
        const known = expected.get(of)
        if (isAdded) {
          const row = table.add(of)
          if (known === undefined) expect([...expected.values()]).not.toContain(row)
          else expect(row).toBe(known)
          expected.set(of, row)
        } else {
          expect(table.delete(of)).toBe(known ?? -1)
          expected.delete(of)
        }
      }
      expect(table.size).toBe(expected.size)
      for (let n = 0; n <= 60; n++) {
        expect(table.find(String(n))).toBe(expected.get(String(n)) ?? -1)
      }
    }),
  )
})

it('finds each of many after it has grown, and gives freed rows away', () => {
  const table = new IdTable()
  const count = 20_000
  const rows = Array.from({ length: count }, (_, n) => table.add(String(n)))
  for (let n = 0; n < count; n += 2) table.delete(String(n))
  for (let n = 0; n < count / 2; n++) table.add(`new ${n}`)
  expect([table.size, table.end]).toEqual([count, count])
  const wrong = rows.filter((row, n) => table.find(String(n)) !== (n % 2 === 0 ? -1 : row))
  expect(wrong).toEqual([])
})
