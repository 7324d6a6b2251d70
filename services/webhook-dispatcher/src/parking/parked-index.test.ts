import { describe, expect, it } from '@jest/globals'
import fc from 'fast-check'
import { ParkedIndex } from './parked-index.ts'

const at = (arrival: number, offset: number, step = 1) => ({
  subscriptionId: 's',
  arrival,
  offset,
  step,
  announced: true,
})
const about = (arrival: number, announced = true, step = 1) => ({
  subscriptionId: 's',
  arrival,
  step,
  announced,
})

describe('ParkedIndex', () => {
  it('keeps the order of arrival, in whatever order jobs are parked and read', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(10_000), { maxLength: 100 }), (arrivals) => {
        const index = new ParkedIndex()
        for (const arrival of arrivals) index.expect(about(arrival))
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
    expect(index.place(at(5, 100))).toBeNull()
    expect(index.place(at(5, 101))).toBe(101)
    expect(index.place(at(5, 100))).toBeNull()
    expect(index.place(at(5, 102, 2))).toBe(100)
    expect(index.head('s')).toMatchObject({ offset: 102 })
    expect(index.size).toBe(1)
  })

  it('has one place for a job that is to be parked again', () => {
    const index = new ParkedIndex()
    index.place(at(5, 100, 3))
    expect(index.expect(about(5, true, 1))).toBe('parked')
    expect(index.expect(about(5, true, 3))).toBe('parked')
    expect(index.expect(about(5, true, 5))).toEqual({ offset: 100, step: 3 })
    expect(index.holds('s', 5, 100)).toBe(false)
    expect(index.place(at(5, 101, 5))).toBeNull()
    expect([index.size, index.holds('s', 5, 101)]).toEqual([1, true])
  })

  it('has the place before again when the new one was not taken', () => {
    const index = new ParkedIndex()
    index.place(at(5, 100))
    const replaced = index.expect(about(5, true, 3))
    expect(replaced).not.toBe('parked')
    expect(index.unexpect(about(5, true, 3), replaced as null)).toBe('unwritten')
    expect([index.size, index.holds('s', 5, 100)]).toEqual([1, true])
    expect(index.expect(about(5, true, 1))).toBe('parked')
  })

  it('holds later ones back from the moment a job is about to be parked', () => {
    const index = new ParkedIndex()
    index.expect(about(7))
    expect(index.has('s')).toBe(true)
    expect(index.head('s')).toMatchObject({ arrival: 7, offset: undefined })
    expect(index.has('other')).toBe(false)
  })

  it('gives up what was expected, and not what was read', () => {
    const index = new ParkedIndex()
    index.expect(about(7))
    index.expect(about(8, false))
    index.place(at(8, 100))
    expect([index.unexpect(about(7), null), index.unexpect(about(8), null)]).toEqual([
      'unwritten',
      'read',
    ])
    expect(index.size).toBe(1)
    expect(index.unexpect(about(7), null)).toBe('unknown')
  })

  it('keeps what is expected of one step when the write of another was refused', () => {
    const index = new ParkedIndex()
    index.expect(about(5, true, 1))
    index.expect(about(5, true, 2))
    expect(index.unexpect(about(5, true, 1), null)).toBe('unwritten')
    expect(index.has('s')).toBe(true)
    index.place(at(5, 100, 1))
    expect(index.unexpect(about(5, true, 2), null)).toBe('unwritten')
    expect(index.holds('s', 5, 100)).toBe(true)
  })

  it('knows which are not announced', () => {
    const index = new ParkedIndex()
    index.expect(about(1))
    index.expect(about(2, false))
    expect(index.hasUnannounced('s')).toBe(true)
    expect(index.firstUnannounced('s')).toBeUndefined()
    index.place(at(2, 100))
    expect(index.firstUnannounced('s')).toBe(100)
    index.announce('s', 2)
    index.announce('s', 2)
    expect(index.hasUnannounced('s')).toBe(false)
    index.expect(about(3, false))
    index.remove('s', 3)
    expect(index.hasUnannounced('s')).toBe(false)
  })
})
