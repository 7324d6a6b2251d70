import { expect, it } from '@jest/globals'
import { endpointId } from '@surehook/contracts/ids'
import fc from 'fast-check'
import { type SubscriptionEntry, SubscriptionTable } from './subscription-table.ts'

const endpoints = ['https://a.example/', 'https://b.example/'].map((url) =>
  endpointId({ projectId: 'p', environment: 'master', url }),
)
const entry: fc.Arbitrary<SubscriptionEntry> = fc.record({
  offset: fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER }),
  endpointId: fc.constantFrom(null, ...endpoints),
  createdAt: fc.integer({ min: 0, max: 10 }),
  ordered: fc.boolean(),
})
const id = fc.integer({ min: 0, max: 40 }).map((n) => `subscription ${n}`)
const step = fc.oneof(fc.record({ id, entry }), fc.record({ id, entry: fc.constant(null) }))

it('has what a Map has, whatever was added and deleted', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const table = new SubscriptionTable()
      const expected = new Map<string, SubscriptionEntry>()
      for (const { id: of, entry: to } of steps) {
        if (to === null) {
          table.delete(of)
          expected.delete(of)
        } else {
          table.set(of, to)
          expected.set(of, to)
        }
      }
      expect(table.size).toBe(expected.size)
      for (let n = 0; n <= 40; n++) {
        expect(table.find(`subscription ${n}`)).toEqual(expected.get(`subscription ${n}`))
      }
      for (const endpoint of endpoints) {
        for (const at of [0, 5, Number.POSITIVE_INFINITY]) {
          const isAny = [...expected.values()].some(
            (one) => one.endpointId === endpoint && one.createdAt <= at,
          )
          expect(table.isAnyAt(endpoint, at)).toBe(isAny)
        }
      }
    }),
  )
})

it('finds and deletes each of many', () => {
  const table = new SubscriptionTable()
  const count = 20_000
  const of = (n: number) => ({ offset: n, endpointId: null, createdAt: n, ordered: false })
  for (let n = 0; n < count; n++) table.set(`s${n}`, of(n))
  for (let n = 0; n < count; n += 2) table.delete(`s${n}`)
  expect(table.size).toBe(count / 2)
  const wrong = Array.from({ length: count }, (_, n) => n).filter((n) => {
    const offset = table.find(`s${n}`)?.offset
    return offset !== (n % 2 === 0 ? undefined : n)
  })
  expect(wrong).toEqual([])
})
