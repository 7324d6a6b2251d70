import { describe, expect, jest, test } from '@jest/globals'
import fc from 'fast-check'
import { v5, version } from 'uuid'
import {
  changeKey,
  cloudEventId,
  cloudEventNamespace,
  deliveryId,
  deliveryNamespace,
  endpointId,
  newEventId,
} from './ids.ts'

const event = '0198c5e1-7a64-7cc3-98c4-dc0c0c07398f'
const subscription = '0198c5e1-7a64-7cc3-98c4-dc0c0c073990'

describe('ids', () => {
  test('a delivery id never changes', () => {
    expect(deliveryId(event, subscription)).toBe('92639ed3-4929-5fc4-9a27-b564bfdb64a1')
    expect(version(deliveryId(event, subscription))).toBe(5)
  })

  test('a delivery id is a UUIDv5', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (one, other) => {
        expect(deliveryId(one, other)).toBe(v5(`${one}/${other}`, deliveryNamespace))
      }),
    )
  })

  test('the id of a CloudEvent is a UUIDv5 that never changes', () => {
    expect(cloudEventId('/billing', '1')).toBe(v5('/billing 1', cloudEventNamespace))
    expect(cloudEventId('/billing', '1')).toBe('f175598d-0a0d-58cb-83d6-866ca58b682b')
    expect(cloudEventId('/billing', '2')).not.toBe(cloudEventId('/billing', '1'))
  })

  test('another event or subscription makes another delivery', () => {
    const ids = [
      deliveryId(event, subscription),
      deliveryId(subscription, event),
      deliveryId(event, event),
    ]
    expect(new Set(ids).size).toBe(ids.length)
  })

  test('an endpoint is 32 hex digits and separates its parts', () => {
    const place = { projectId: 'p', environment: 'master', url: 'https://a.example/' }
    expect(endpointId(place)).toMatch(/^[0-9a-f]{32}$/)
    expect(endpointId({ ...place, environment: 'mas', url: `ter${place.url}` })).not.toBe(
      endpointId(place),
    )
  })

  test('a change is keyed by its record', () => {
    const change = { projectId: 'p', environment: 'e', table: 't', recordId: 'r' }
    expect(changeKey(change)).toBe('p/e/t/r')
  })

  test('event ids are UUIDs in order of creation, also within a millisecond', () => {
    const before = Date.now()
    const ids = Array.from({ length: 10_000 }, newEventId)
    expect(new Set(ids.map(version))).toEqual(new Set([7]))
    expect(ids.toSorted()).toEqual(ids)
    expect(new Set(ids.map((id) => id.slice(18))).size).toBe(ids.length)
    const ms = Number.parseInt(ids[0]?.replace('-', '').slice(0, 12) ?? '', 16)
    expect(ms).toBeGreaterThanOrEqual(before)
    expect(ms).toBeLessThanOrEqual(Date.now())
  })

  test('event ids stay in order when the clock is set back', () => {
    const now = Date.now()
    using clock = jest.spyOn(Date, 'now')
    const ids = [now, now - 60_000, now + 1].map((ms) => {
      clock.mockReturnValue(ms)
      return newEventId()
    })
    expect(ids.toSorted()).toEqual(ids)
  })
})
