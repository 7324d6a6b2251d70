import { describe, expect, it } from '@jest/globals'
import { aJob, anAttempt } from '@surehook/contracts/testing/samples'
import { MemoryBudget } from '@surehook/service-kit/config/memory-budget'
import type { LogItem } from './delivery-projection.ts'
import { WriteBuffer } from './write-buffer.ts'

const held = (waitingBytes = 1_000_000, budget = new MemoryBudget(100_000_000)) =>
  new WriteBuffer({ waitingBytes, budget })
const place = (topic: string, offset: number) => ({
  topic,
  partition: 0,
  offset: String(offset),
})
const job = (deliveryId: string, offset: number, bytes = 10): LogItem => ({
  ...place('jobs', offset),
  job: aJob({ deliveryId, body: Buffer.alloc(bytes) }),
  transition: null,
})
const transition = (deliveryId: string, offset: number, step = 1): LogItem => ({
  ...place('transitions', offset),
  job: null,
  transition: anAttempt({ deliveryId, step }),
})
const read = (topic: string, offset: number) => ({ topic, partition: 0, offset })

const taken = (items: WriteBuffer, now: number) => {
  const due = items.take(now).flat()
  items.written(due)
  return due.map(({ item }) => item)
}

describe('WriteBuffer', () => {
  it('returns a job together with its transition at once', () => {
    const items = held()
    items.add([job('a', 0), job('b', 1)], read('jobs', 2), 1_000)
    expect(taken(items, 1_050)).toEqual([])
    items.add([transition('a', 7)], read('transitions', 8), 1_060)
    expect(items.waitMs).toBe(0)
    expect(taken(items, 1_060)).toEqual([job('a', 0), transition('a', 7)])
    expect(taken(items, 1_060)).toEqual([])
  })

  it('returns a job without a transition after a moment, a longer one if many wait', () => {
    const items = held(1_000_000)
    items.add([job('a', 0)], read('jobs', 1), 1_000)
    expect(taken(items, 1_400)).toEqual([job('a', 0)])
    const many = Array.from({ length: 100 }, (_, n) => job(`many ${n}`, n + 1, 1_600))
    items.add(many, read('jobs', 101), 5_000)
    expect(taken(items, 35_000)).toEqual([])
    expect(taken(items, 35_300)).toEqual(many)
  })

  it('returns the oldest jobs at once when too many wait', () => {
    const items = held(2_000)
    items.add([job('a', 0, 400), job('b', 1, 400), job('c', 2, 400)], read('jobs', 3), 1_000)
    expect(taken(items, 1_000)).toEqual([job('a', 0, 400)])
    expect(items.positions()).toEqual([read('jobs', 1)])
  })

  it('returns a first transition with its later job, or alone after a moment', () => {
    const items = held()
    items.add([transition('a', 3), transition('b', 4)], read('transitions', 5), 1_000)
    expect(taken(items, 1_100)).toEqual([])
    items.add([job('a', 0)], read('jobs', 1), 1_200)
    expect(taken(items, 1_200)).toEqual([transition('a', 3), job('a', 0)])
    expect(items.positions()).toEqual([read('transitions', 4), read('jobs', 1)])
    expect(taken(items, 1_300)).toEqual([transition('b', 4)])
  })

  it('returns a later transition at once, because its job was read long ago', () => {
    const items = held()
    items.add([transition('a', 3, 2)], read('transitions', 4), 1_000)
    expect(taken(items, 1_000)).toEqual([transition('a', 3, 2)])
  })

  it('reports progress up to the first held message of each partition', () => {
    const items = held()
    items.add([job('a', 4), job('b', 5), job('c', 6)], read('jobs', 9), 1_000)
    items.add([transition('a', 1), transition('c', 2)], read('transitions', 3), 1_000)
    taken(items, 1_000)
    expect(items.positions()).toEqual([read('jobs', 5), read('transitions', 3)])
    items.add([transition('b', 3)], read('transitions', 4), 1_000)
    taken(items, 1_000)
    expect(items.positions()).toEqual([read('jobs', 9), read('transitions', 4)])
    items.clear()
    expect(items.positions()).toEqual([])
    expect(items.take(1_000)).toEqual([])
  })

  it('counts taken items as held until they are written', () => {
    const budget = new MemoryBudget(10_000)
    const items = held(1_000_000, budget)
    items.add([job('a', 4, 9_400), job('b', 5)], read('jobs', 6), 1_000)
    expect(items.mustPause(read('jobs', 0))).toBe(true)
    const due = items.take(2_000)
    expect(items.positions()).toEqual([read('jobs', 4)])
    expect([budget.used, items.mustPause(read('jobs', 0))]).toEqual([10_610, true])
    items.written(due[0] ?? [])
    expect(items.positions()).toEqual([read('jobs', 5)])
    expect([budget.used, items.mayResume(read('jobs', 0))]).toEqual([610, true])
    items.clear()
    items.written(due[1] ?? [])
    expect(budget.used).toBe(0)
  })

  it('pauses the partitions that hold most when all together hold too much', () => {
    const items = held(1_000_000, new MemoryBudget(10_000))
    items.add([transition('a', 1, 2)], read('transitions', 2), 1_000)
    items.add([job('b', 4, 9_000)], read('jobs', 5), 1_000)
    const paused = ['jobs', 'transitions'].map((topic) => items.mustPause(read(topic, 0)))
    expect(paused).toEqual([true, false])
  })
})
