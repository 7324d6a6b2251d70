import { expect, it } from '@jest/globals'
import { LruMap } from './lru-map.ts'

it('a map of the latest used never grows beyond its bound', () => {
  const map = new LruMap<number>(2)
  map.set('a', 1)
  map.set('b', 2)
  expect(map.get('a')).toBe(1)
  map.set('c', 3)
  expect([map.size, map.get('a'), map.get('b'), map.get('c')]).toEqual([2, 1, undefined, 3])
  map.set('c', 4)
  expect([map.size, map.get('a'), map.get('c')]).toEqual([2, 1, 4])
})
