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
})
