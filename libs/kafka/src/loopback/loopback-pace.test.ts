import { beforeEach, describe, expect, it } from '@jest/globals'
import { LoopbackPace } from './loopback-pace.ts'

let pace: LoopbackPace

/** This process writes a record to the partition every 100 ms, up to `end`. */
function stream(end: number): void {
  for (let offset = 0; offset < end; offset++) {
    pace.produced('jobs/0', { first: offset, end: offset + 1 }, offset * 100)
  }
}

beforeEach(() => {
  pace = new LoopbackPace()
})

describe('a reader of what this process writes', () => {
  it('fetches seldom while batches follow each other', () => {
    stream(1)
    expect(pace.isLoopback(0)).toBe(false)
    stream(3)
    expect(pace.isLoopback(200)).toBe(true)
    expect(pace.isLoopback(449)).toBe(true)
    expect(pace.isLoopback(450)).toBe(false)
  })

  it('fetches as usual for a second after a gap in what this process wrote', () => {
    stream(20)
    pace.produced('jobs/0', { first: 21, end: 22 }, 2_000)
    pace.produced('jobs/0', { first: 22, end: 23 }, 2_100)
    expect(pace.isLoopback(2_100)).toBe(false)
    pace.produced('jobs/0', { first: 23, end: 24 }, 2_999)
    pace.produced('jobs/0', { first: 24, end: 25 }, 3_000)
    expect(pace.isLoopback(3_000)).toBe(true)
  })

  it('fetches as usual after a fetch had records of which this process knows nothing', () => {
    stream(3)
    pace.fetched('jobs/1', 1, 250)
    expect(pace.isLoopback(250)).toBe(false)
  })

  it('knows fetched records whose producer learns of them later', () => {
    stream(3)
    pace.fetched('jobs/0', 4, 290)
    expect(pace.isLoopback(290)).toBe(false)
    pace.produced('jobs/0', { first: 3, end: 4 }, 300)
    expect(pace.isLoopback(300)).toBe(true)
    pace.fetched('jobs/0', 4, 310)
    expect(pace.isLoopback(310)).toBe(true)
  })

  it('forgets unknown records after a second', () => {
    pace.fetched('jobs/1', 1, 0)
    stream(20)
    expect(pace.isLoopback(999)).toBe(false)
    expect(pace.isLoopback(2_000)).toBe(true)
  })
})
