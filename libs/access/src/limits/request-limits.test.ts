import { expect, it } from '@jest/globals'
import { bucketsOf, pointsOfList } from './request-limits.ts'

const keys = { project: 'p', caller: 'p/c' }
const defaults = { perSecond: 1_000, perTokenPerSecond: 400 }
const shapesOf = (...args: Parameters<typeof bucketsOf>) =>
  bucketsOf(...args).map(({ perSecond, burst }) => [perSecond, burst])

it('an environment without limits has those of the installation, for 10 s at once', () => {
  expect(shapesOf(keys, null, defaults)).toEqual([
    [1_000, 10_000],
    [400, 4_000],
  ])
})

it('each limit of an environment replaces its default, and no token has more than the project', () => {
  const none = { perSecond: null, burst: null, perTokenPerSecond: null }
  expect(shapesOf(keys, { ...none, perSecond: 100 }, defaults)).toEqual([
    [100, 1_000],
    [100, 1_000],
  ])
  expect(shapesOf(keys, { perSecond: 100, burst: 5, perTokenPerSecond: 10 }, defaults)).toEqual([
    [100, 5],
    [10, 1],
  ])
})

it('a list weighs 1 point for each 20 items', () => {
  expect([0, 1, 20, 21, 1_000].map(pointsOfList)).toEqual([1, 1, 1, 2, 50])
})
