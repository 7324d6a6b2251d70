import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals'
import type { RequestEvent } from 'kafkajs'
import { MemberLease } from './member-lease.ts'

const request = (apiName: string, sentAt: number) =>
  ({ apiName, sentAt, duration: Date.now() - sentAt }) as RequestEvent['payload']

let lease: MemberLease

beforeEach(() => {
  jest.useFakeTimers({ now: 100_000 })
  lease = new MemberLease(8_000)
})
afterEach(() => {
  jest.useRealTimers()
})

describe('MemberLease', () => {
  it('does not hold before the group has accepted the member', () => {
    expect(lease.holds).toBe(false)
    lease.saw(request('SyncGroup', 100_000))
    expect(lease.holds).toBe(false)
    lease.taken()
    expect(lease.holds).toBe(true)
  })

  it('ends a fixed time after the last heartbeat was sent', () => {
    lease.saw(request('Heartbeat', 100_000))
    lease.taken()
    jest.advanceTimersByTime(7_999)
    lease.saw(request('Fetch', 107_999))
    expect(lease.holds).toBe(true)
    jest.advanceTimersByTime(1)
    expect(lease.holds).toBe(false)
  })

  it('counts from the sending, because the answer may have waited for a stopped process', () => {
    jest.advanceTimersByTime(20_000)
    lease.saw(request('Heartbeat', 101_000))
    lease.taken()
    expect(lease.holds).toBe(false)
  })

  it.each([-3_600_000, 3_600_000])('does not last longer when the clock is set by %d ms', (ms) => {
    lease.saw(request('Heartbeat', 100_000))
    lease.taken()
    jest.setSystemTime(Date.now() + ms)
    jest.advanceTimersByTime(8_000)
    expect(lease.holds).toBe(false)
  })

  it('ignores a request during which the clock was set back', () => {
    lease.saw({ ...request('Heartbeat', 100_000), duration: -3_600_000 })
    lease.taken()
    expect(lease.holds).toBe(false)
  })
})
