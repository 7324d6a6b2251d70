import { describe, expect, it } from '@jest/globals'
import fc from 'fast-check'
import { ParkedIndex } from './parked-index.ts'

describe('ParkedIndex', () => {
  it('keeps the order of arrival, in whatever order jobs are parked and read', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(10_000), { maxLength: 100 }), (arrivals) => {
        const index = new ParkedIndex()
        for (const arrival of arrivals) index.expect('s', arrival)
        arrivals.forEach((arrival, offset) => index.place('s', arrival, offset))
        const order: number[] = []
        for (let head = index.head('s'); head; head = index.head('s')) {
          expect(head.offset).toBe(arrivals.indexOf(head.arrival))
          order.push(head.arrival)
          index.remove('s', head.arrival)
        }
        expect(order).toEqual(arrivals.toSorted((a, b) => a - b))
        expect(index.size).toBe(0)
        expect(index.has('s')).toBe(false)
      }),
    )
  })

  it('knows a job that is parked already under another offset', () => {
    const index = new ParkedIndex()
    expect(index.place('s', 5, 100)).toBe(true)
    expect(index.place('s', 5, 101)).toBe(false)
    expect(index.place('s', 5, 100)).toBe(true)
    expect(index.size).toBe(1)
  })

  it('holds later ones back from the moment a job is about to be parked', () => {
    const index = new ParkedIndex()
    index.expect('s', 7)
    expect(index.has('s')).toBe(true)
    expect(index.head('s')).toEqual({ arrival: 7, offset: undefined })
    expect(index.has('other')).toBe(false)
  })
})
