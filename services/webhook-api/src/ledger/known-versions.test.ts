import { describe, expect, it } from '@jest/globals'
import type { SubscriptionState } from '@surehook/contracts/events'
import { aSubscription } from '@surehook/contracts/testing/samples'
import { walPositionHeader } from '@surehook/contracts/wal-position'
import type { KafkaMessage } from '@surehook/kafka/client/surface'
import type { Change } from '@surehook/matching/read-change'
import { KnownVersions } from './known-versions.ts'

const t0 = '2026-01-01T00:00:00.000Z'
const later = '2026-01-09T00:00:00.000Z'
const place = (lsn: number) => `1/00000001/${lsn.toString(16).padStart(16, '0')}`
const hour = 3_600_000

const state = (fields: Partial<SubscriptionState> = {}) =>
  aSubscription({ id: 'one', events: ['INSERT'], createdAt: t0, updatedAt: t0, ...fields })

const record = (at: number, value: SubscriptionState | null, writtenAt = 0): KafkaMessage => ({
  key: Buffer.from('one'),
  value: value === null ? null : Buffer.from(JSON.stringify(value)),
  headers: { [walPositionHeader]: place(at) },
  timestamp: String(writtenAt),
  attributes: 0,
  offset: '0',
})

const codec = {
  subscription: {
    encode: (value: SubscriptionState) => Buffer.from(JSON.stringify(value)),
    decode: (bytes: Buffer) => JSON.parse(bytes.toString()) as SubscriptionState,
  },
}

async function knownFrom(...records: KafkaMessage[]): Promise<KnownVersions> {
  const versions = new KnownVersions(codec)
  for (const one of records) await versions.apply(one)
  return versions
}

const change = (at: number | null): Change => ({
  event: {
    id: 'e',
    timestamp: t0,
    projectId: 'shop',
    environment: 'master',
    table: 'orders',
    recordId: 'r',
    operation: 'INSERT',
    record: '{}',
    changedFields: [],
    source: 'test',
    requestId: null,
    traceparent: null,
  },
  record: {},
  walPosition: at === null ? null : place(at),
  loggedAt: 0,
})

describe('KnownVersions', () => {
  it('matches each change against the version of its place in the WAL', async () => {
    const changed = state({ updatedAt: later, active: false })
    const versions = await knownFrom(record(10, state()), record(20, changed))
    const matched = [5, 15, 25].map((at) => versions.matching(change(at), 0))
    expect(matched).toEqual([[], ['one'], []])
  })

  it('remembers more versions of a subscription than a matcher does', async () => {
    const all = Array.from({ length: 60 }, (_, nth) =>
      record(10 * nth, state({ updatedAt: nth === 0 ? t0 : later, active: nth % 2 === 0 })),
    )
    const versions = await knownFrom(...all)
    expect(versions.matching(change(5), 0)).toEqual(['one'])
    expect(versions.matching(change(15), 0)).toEqual([])
  })

  it('is unsure before the first remaining state of a subscription', async () => {
    const versions = await knownFrom(record(20, state({ updatedAt: later })))
    expect(versions.matching(change(10), 0)).toEqual([])
    expect(versions.isSure('one', { walPosition: place(10), writtenAt: 0 })).toBe(false)
    expect(versions.matching(change(30), 0)).toEqual(['one'])
    const deleted = await knownFrom(record(20, null))
    expect(deleted.isSure('one', { walPosition: place(10), writtenAt: 0 })).toBe(false)
    expect(deleted.isSure('one', { walPosition: place(30), writtenAt: 0 })).toBe(true)
  })

  it('knows which states reached their topic after a change that was committed later', async () => {
    const versions = await knownFrom(
      record(10, state(), 1),
      record(20, state({ updatedAt: later }), 50),
    )
    const late = (at: number | null, writtenAt: number) =>
      versions.mayHaveComeLate('one', { walPosition: at === null ? null : place(at), writtenAt })
    expect([late(30, 49), late(30, 50), late(30, 51)]).toEqual([true, true, false])
    expect([late(15, 49), late(null, 49)]).toEqual([false, false])
    expect(versions.mayHaveComeLate('other', { walPosition: place(30), writtenAt: 0 })).toBe(false)
  })

  it("is sure about another service's change only if the subscription is unchanged since", async () => {
    const versions = await knownFrom(record(10, state(), hour))
    expect(versions.matching(change(null), 2 * hour)).toEqual(['one'])
    expect(versions.matching(change(null), hour)).toEqual([])
  })

  it('stays sure when the same state is published again', async () => {
    const versions = await knownFrom(record(10, state(), 1), record(20, state(), hour))
    expect(versions.matching(change(null), hour)).toEqual(['one'])
    expect(versions.mayHaveComeLate('one', { walPosition: place(30), writtenAt: hour })).toBe(false)
    expect(versions.matching(change(15), hour)).toEqual(['one'])
  })

  describe('when earlier states were compacted away', () => {
    const second = '2026-01-01T01:00:00.000Z'
    const versions = (...began: [at: number, updatedAt: string, active: boolean][]) =>
      began.map(([at, updatedAt, active]) => ({
        ...{ walPosition: place(at), updatedAt, active },
        ...{ table: 'orders', events: ['INSERT' as const], filter: null, select: null },
      }))
    const listed = versions([10, t0, true], [20, second, false], [30, later, true])
    const onlyLast = record(36, state({ updatedAt: later, versions: listed }), Date.parse(later))

    it('matches each change against the version that the last state lists', async () => {
      const known = await knownFrom(onlyLast)
      const matched = [5, 15, 25, 40].map((at) => known.matching(change(at), 0))
      expect(matched).toEqual([[], ['one'], [], ['one']])
      expect(known.isSure('one', { walPosition: place(5), writtenAt: 0 })).toBe(true)
    })

    it('is unsure before the oldest version, unless the subscription began with it', async () => {
      const shorter = state({ updatedAt: later, versions: listed.slice(1) })
      const known = await knownFrom(record(36, shorter))
      const isSure = [15, 25, 40].map((at) =>
        known.isSure('one', { walPosition: place(at), writtenAt: 0 }),
      )
      expect(isSure).toEqual([false, true, true])
    })

    it('takes a version for late until 10 minutes after it was made', async () => {
      const known = await knownFrom(onlyLast)
      const late = (at: number, minutes: number) =>
        known.mayHaveComeLate('one', {
          walPosition: place(at),
          writtenAt: Date.parse(second) + minutes * 60_000,
        })
      expect([late(25, 9), late(25, 11), late(15, 9)]).toEqual([true, false, false])
    })

    it('takes the version of its own state for late until that was committed and written', async () => {
      const known = await knownFrom(onlyLast)
      const late = (at: number, afterMs: number) =>
        known.mayHaveComeLate('one', {
          walPosition: place(at),
          writtenAt: Date.parse(later) + afterMs,
        })
      expect([late(40, 0), late(40, 1), late(33, 1), late(25, 1)]).toEqual([
        ...[true, false, true, false],
      ])
    })

    it('counts a version once that several states list', async () => {
      const again = state({ updatedAt: later, versions: listed, cancellations: [] })
      const known = await knownFrom(onlyLast, record(50, again, Date.parse(later) + hour))
      expect(known.matching(change(null), Date.parse(later) + hour)).toEqual(['one'])
    })
  })
})
