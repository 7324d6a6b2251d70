import { describe, expect, it } from '@jest/globals'
import fc from 'fast-check'
import { ParkedIndex } from './parked-index.ts'

const at = (arrival: number, offset: number) => ({
  subscriptionId: 's',
  arrival,
  offset,
  announced: true,
})

describe('ParkedIndex', () => {
  it('keeps the order of arrival, in whatever order jobs are parked and read', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(10_000), { maxLength: 100 }), (arrivals) => {
        const index = new ParkedIndex()
        for (const arrival of arrivals) index.expect('s', arrival, true)
        arrivals.forEach((arrival, offset) => index.place(at(arrival, offset)))
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
    expect(index.place(at(5, 100))).toBe(true)
    expect(index.place(at(5, 101))).toBe(false)
    expect(index.place(at(5, 100))).toBe(true)
    expect(index.size).toBe(1)
  })

  it('holds later ones back from the moment a job is about to be parked', () => {
    const index = new ParkedIndex()
    index.expect('s', 7, true)
    expect(index.has('s')).toBe(true)
    expect(index.head('s')).toMatchObject({ arrival: 7, offset: undefined })
    expect(index.has('other')).toBe(false)
  })

  it('gives up what was expected, and not what was read', () => {
    const index = new ParkedIndex()
    index.expect('s', 7, true)
    index.expect('s', 8, false)
    index.place(at(8, 100))
    expect([index.unexpect('s', 7), index.unexpect('s', 8)]).toEqual([true, false])
    expect(index.size).toBe(1)
    expect(index.unexpect('s', 7)).toBe(false)
  })

  it('knows which are not announced', () => {
    const index = new ParkedIndex()
    index.expect('s', 1, true)
    index.expect('s', 2, false)
    expect(index.hasUnannounced('s')).toBe(true)
    expect(index.firstUnannounced('s')).toBeUndefined()
    index.place(at(2, 100))
    expect(index.firstUnannounced('s')).toBe(100)
    index.announce('s', 2)
    index.announce('s', 2)
    expect(index.hasUnannounced('s')).toBe(false)
    index.expect('s', 3, false)
    index.remove('s', 3)
    expect(index.hasUnannounced('s')).toBe(false)
  })
})
