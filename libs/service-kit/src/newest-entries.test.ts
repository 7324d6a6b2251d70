import { expect, it } from '@jest/globals'
import fc from 'fast-check'
import { NewestEntries } from './newest-entries.ts'

const step = fc.record({ key: fc.integer({ min: 0, max: 9 }), isSet: fc.boolean() })

it('has the entries that were set last, with their newest values, and few others', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 5 }), fc.array(step), (least, steps) => {
      const entries = new NewestEntries<number, number>(least)
      const expected = new Map<number, number>()
      for (const [nth, { key, isSet }] of steps.entries()) {
        expected.delete(key)
        if (isSet) expected.set(key, nth)
        if (isSet) entries.set(key, nth)
        else entries.delete(key)
      }
      for (const key of [...expected.keys()].slice(-least)) {
        expect(entries.get(key)).toBe(expected.get(key))
      }
      const all = Array.from({ length: 10 }, (_, key) => [key, entries.get(key)] as const)
      const known = all.filter(([, value]) => value !== undefined)
      expect(known.length).toBeLessThanOrEqual(2 * least)
      for (const [key, value] of known) expect(value).toBe(expected.get(key))
    }),
  )
})

it('has none if it may have none', () => {
  const entries = new NewestEntries<string, number>(0)
  entries.set('a', 1)
  expect(entries.get('a')).toBeUndefined()
})

it('keeps an offered entry only if its key was offered lately', () => {
  const entries = new NewestEntries<string, number>(2)
  for (const key of ['a', 'b', 'c', 'a']) entries.offer(key, 1)
  expect(entries.get('a')).toBeUndefined()
  entries.offer('a', 2)
  expect(entries.get('a')).toBe(2)
  expect(entries.get('b')).toBeUndefined()
})
