import { randomUUID } from 'node:crypto'
import { describe, expect, it } from '@jest/globals'
import type { DeliveryStatus } from '@surehook/contracts/events'
import * as fc from 'fast-check'
import { DeliveryTable, type PublishedTransition, TableFullError } from './delivery-table.ts'
import { judgeDelivery, type Verdict } from './judge-delivery.ts'
import { shortIdOf } from './uuid-bytes.ts'

const idOf = (uuid: string) => {
  const id = shortIdOf(uuid)
  if (id === null) throw new Error('no UUID')
  return id
}

function aTable(limit = 10) {
  const table = new DeliveryTable(limit)
  const add = (uuid: string = randomUUID(), eventId: string = randomUUID()) =>
    table.add(idOf(uuid), { kind: 'matched', subscription: 7, event: table.addEvent(eventId) })
  return { table, add }
}

describe('DeliveryTable', () => {
  it('distinguishes many deliveries, with their events', () => {
    const { table, add } = aTable(2_000)
    const pairs = Array.from({ length: 2_000 }, () => [randomUUID(), randomUUID()] as const)
    for (const [id, eventId] of pairs) add(id, eventId)
    for (const [index, [id, eventId]] of pairs.entries()) {
      expect(table.find(idOf(id))).toBe(index)
      expect(table.eventIdOf(index)).toBe(eventId)
    }
    expect(table.find(idOf(randomUUID()))).toBe(-1)
    expect(() => add()).toThrow(TableFullError)
  })

  it('has each delivery once', () => {
    const { table, add } = aTable()
    const id = randomUUID()
    expect(add(id)).toBe(add(id.toUpperCase()))
    expect(table.size).toBe(1)
  })

  it('ignores the case of ids, and knows no text that is no id', () => {
    const { table, add } = aTable()
    const eventId = randomUUID()
    expect(table.eventIdOf(add(randomUUID(), eventId.toUpperCase()))).toBe(eventId)
    expect(shortIdOf('test')).toBeNull()
  })

  it('keeps the open place of the latest step', () => {
    const { table, add } = aTable()
    const index = add()
    table.setOpen(index, 'paused', 3)
    table.setOpen(index, 'pending', 0)
    expect(table.factsOf(index).open).toBe('paused')
    table.setOpen(index, 'retrying', 4)
    expect(table.factsOf(index).open).toBe('retrying')
  })
})

const anAttempt: fc.Arbitrary<PublishedTransition> = fc.record({
  status: fc.constantFrom<DeliveryStatus[]>(
    'delivered',
    'retrying',
    'paused',
    'dead_letter',
    'cancelled',
  ),
  step: fc.integer({ min: 1, max: 4 }),
  at: fc.integer({ min: 1, max: 4 }),
})

describe('setTransition', () => {
  it('uses the latest step and time, whatever the order of the records', () => {
    const isOther = (a: PublishedTransition, b: PublishedTransition) =>
      a.step === b.step && a.at === b.at
    const transitions = fc.uniqueArray(anAttempt, {
      comparator: isOther,
      minLength: 1,
      maxLength: 6,
    })
    const shuffled = transitions.chain((all) =>
      fc.tuple(
        fc.constant(all),
        fc.shuffledSubarray(all, { minLength: all.length, maxLength: all.length }),
      ),
    )
    fc.assert(
      fc.property(shuffled, ([all, order]) => {
        const { table, add } = aTable()
        const index = add()
        for (const transition of order) table.setTransition(index, transition)
        const latest = all.toSorted((a, b) => b.step - a.step || b.at - a.at)[0]
        const ended = all.filter(({ status }) => !['retrying', 'paused'].includes(status))
        const { end, endSuperseded, endedTwice } = table.factsOf(index)
        const isEnd = ended.some((transition) => transition === latest)
        expect(end !== null && !endSuperseded).toBe(isEnd)
        if (isEnd) expect(end).toBe(latest?.status)
        expect(endedTwice).toBe(ended.length > 1)
      }),
    )
  })

  it('treats a repeated record as the same', () => {
    const { table, add } = aTable()
    const index = add()
    for (let time = 0; time < 2; time++) {
      table.setTransition(index, { status: 'delivered', step: 1, at: 5 })
    }
    expect(table.factsOf(index)).toMatchObject({ end: 'delivered', endedTwice: false })
  })
})

describe('judgeDelivery', () => {
  const verdictOf = (fill: (table: DeliveryTable, index: number) => void): Verdict => {
    const { table, add } = aTable()
    const index = add()
    fill(table, index)
    return judgeDelivery(table.factsOf(index))
  }
  const place = (name: string) => ({ kind: 'place', place: name })
  const hole = (reason: string) => ({ kind: 'hole', reason })

  it('distinguishes changes still to be matched from lost ones', () => {
    expect(verdictOf(() => undefined)).toEqual({ kind: 'awaiting' })
    expect(verdictOf((table, index) => table.setDue(index))).toEqual(hole('never_matched'))
  })

  it('treats a job without a place as lost', () => {
    expect(verdictOf((table, index) => table.setMade(index))).toEqual(hole('lost'))
    const retrying = { status: 'retrying', step: 1, at: 1 } as const
    expect(verdictOf((table, index) => table.setTransition(index, retrying))).toEqual(hole('lost'))
  })

  it('prefers the end to a place that is not committed yet', () => {
    const delivered = { status: 'delivered', step: 1, at: 1 } as const
    const verdict = verdictOf((table, index) => {
      table.setOpen(index, 'pending', 0)
      table.setTransition(index, delivered)
    })
    expect(verdict).toEqual(place('delivered'))
  })

  it('prefers the place if a transition after the end continues the delivery', () => {
    const fill = (table: DeliveryTable, index: number) => {
      table.setTransition(index, { status: 'delivered', step: 1, at: 1 })
      table.setTransition(index, { status: 'retrying', step: 1, at: 2 })
    }
    expect(verdictOf(fill)).toEqual(place('delivered'))
    const open = verdictOf((table, index) => {
      fill(table, index)
      table.setOpen(index, 'retrying', 1)
    })
    expect(open).toEqual(place('retrying'))
  })

  it('expects a dead letter on its topic', () => {
    const dead = { status: 'dead_letter', step: 5, at: 1 } as const
    const setDead = (table: DeliveryTable, index: number) => table.setTransition(index, dead)
    expect(verdictOf(setDead)).toEqual(hole('lost'))
    const both = verdictOf((table, index) => {
      setDead(table, index)
      table.setLetter(index)
    })
    expect(both).toEqual(place('dead'))
    const underWay = verdictOf((table, index) => {
      setDead(table, index)
      table.setOpen(index, 'retrying', 4)
    })
    expect(underWay).toEqual(place('retrying'))
  })
})
