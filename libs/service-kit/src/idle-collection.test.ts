import { expect, it } from '@jest/globals'
import { IdleCollection } from './idle-collection.ts'

const mib = 1024 * 1024

/**
 * Returns readings 10 s apart. `share` is the part of a core that the process used since the
 * previous one.
 */
function readings() {
  let [atMs, cpuMs] = [0, 0]
  return (share: number, memoryMib: number) => {
    atMs += 10_000
    cpuMs += 10_000 * share
    return { atMs, cpuMs, memoryBytes: memoryMib * mib }
  }
}

it('collects once after the start, and again when the process has grown', () => {
  const next = readings()
  const collection = new IdleCollection(next(0, 60))
  expect(collection.isDue(next(0.01, 60))).toBe(true)
  collection.collected(next(0.01, 30))
  for (let seconds = 10; seconds <= 60; seconds += 10) {
    expect(collection.isDue(next(0.01, 53))).toBe(false)
  }
  expect(collection.isDue(next(0.01, 54))).toBe(true)
})

it('counts the growth from the least memory since the last collection', () => {
  const next = readings()
  const collection = new IdleCollection(next(0, 60))
  collection.collected(next(0.01, 60))
  for (let seconds = 10; seconds <= 60; seconds += 10) collection.isDue(next(0.01, 30))
  expect(collection.isDue(next(0.01, 54))).toBe(true)
})

it('collects at most once a minute', () => {
  const next = readings()
  const collection = new IdleCollection(next(0, 60))
  collection.collected(next(0.01, 60))
  for (let seconds = 10; seconds < 60; seconds += 10) {
    expect(collection.isDue(next(0.01, 90))).toBe(false)
  }
  expect(collection.isDue(next(0.01, 90))).toBe(true)
})

it('leaves a busy process alone until it is idle', () => {
  const next = readings()
  const collection = new IdleCollection(next(0, 60))
  expect(collection.isDue(next(0.05, 200))).toBe(false)
  expect(collection.isDue(next(0.5, 200))).toBe(false)
  expect(collection.isDue(next(0.049, 200))).toBe(true)
})
