import type { RecordWithTtl } from 'node:dns'
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals'
import { HostNames } from './host-names.ts'

const failed = (code: string) => Object.assign(new Error(code), { code })
const silent = () => new Promise<RecordWithTtl[]>(() => {})
const withinMs = 4_000

/** Name servers that count their queries and do not answer for unknown names. */
function serversOf(
  known: Record<string, { 4?: string[]; 6?: string[]; ttl?: number; error?: string }>,
  lookupMs = withinMs,
) {
  const asked: string[] = []
  const answer = (family: 4 | 6) => async (name: string) => {
    if (family === 4) asked.push(name)
    const record = known[name]
    if (record === undefined) return silent()
    if (record.error !== undefined) throw failed(record.error)
    const { ttl = 60, [family]: addresses } = record
    if (addresses === undefined) throw failed('ENODATA')
    return addresses.map((address) => ({ address, ttl }))
  }
  const servers = { resolve4: answer(4), resolve6: answer(6) } as never
  return { asked, names: new HostNames({ servers, hosts: '', withinMs: lookupMs }) }
}

describe('HostNames', () => {
  beforeEach(() => void jest.useFakeTimers())
  afterEach(() => void jest.useRealTimers())

  it('gives the addresses of both families', async () => {
    const { names } = serversOf({ a: { 4: ['8.8.8.8'], 6: ['2606::1'] } })
    expect(await names.resolve('a', 't')).toEqual([
      { address: '8.8.8.8', family: 4 },
      { address: '2606::1', family: 6 },
    ])
  })

  it('answers other tenants while a thousand names of one get no answer', async () => {
    const { asked, names } = serversOf({ good: { 4: ['8.8.8.8'] } })
    const silents = Array.from({ length: 1_000 }, (_, n) => names.resolve(`silent-${n}`, 'slow'))
    const outcomes = Promise.allSettled(silents)
    expect(await names.resolve('good', 'other')).toHaveLength(1)
    // The limit of concurrent lookups.
    expect(asked).toHaveLength(65)
    await jest.advanceTimersByTimeAsync(4_100)
    expect((await outcomes).every(({ status }) => status === 'rejected')).toBe(true)
  })

  it('fails with its own error class if no server answers in time', async () => {
    const { names } = serversOf({})
    const failure = names.resolve('silent', 't').catch((err: unknown) => err)
    await jest.advanceTimersByTimeAsync(4_100)
    expect(await failure).toMatchObject({ code: 'NAME_UNRESOLVED' })
  })

  it('asks once for concurrent lookups of a tenant', async () => {
    const { asked, names } = serversOf({ a: { 4: ['8.8.8.8'] } })
    await Promise.all(['t', 't', 't'].map((tenant) => names.resolve('a', tenant)))
    expect(asked).toEqual(['a'])
  })

  it('uses only one turn for all lookups of a silent name', async () => {
    const { names } = serversOf({ good: { 4: ['8.8.8.8'] } })
    const silents = Array.from({ length: 1_000 }, () => names.resolve('silent', 't'))
    const outcomes = Promise.allSettled(silents)
    expect(await names.resolve('good', 't')).toHaveLength(1)
    await jest.advanceTimersByTimeAsync(4_100)
    const reasons = (await outcomes).map((outcome) => 'reason' in outcome && outcome.reason)
    expect(new Set(reasons).size).toBe(1)
  })

  it('asks again for a failed name only after a pause, and then once for all who wait', async () => {
    const { asked, names } = serversOf({ gone: { error: 'ENOTFOUND' } })
    const reasonOf = () => names.resolve('gone', 't').catch((err: unknown) => err)
    const first = await reasonOf()
    expect(first).toMatchObject({ code: 'NAME_UNRESOLVED', message: 'gone cannot be resolved' })
    const later = [reasonOf(), reasonOf()]
    await jest.advanceTimersByTimeAsync(490)
    expect(asked).toHaveLength(1)
    await jest.advanceTimersByTimeAsync(20)
    expect(asked).toHaveLength(2)
    const [second, third] = await Promise.all(later)
    expect(second).toBe(third)
    expect(second).not.toBe(first)
  })

  it('resolves a failed name again, however short a lookup is', async () => {
    const known: Parameters<typeof serversOf>[0] = { a: { error: 'ESERVFAIL' } }
    const { names } = serversOf(known, 80)
    const outcome = () => names.resolve('a', 't').catch(() => 'failed')
    expect(await outcome()).toBe('failed')
    known['a'] = { 4: ['8.8.8.8'] }
    const next = outcome()
    await jest.advanceTimersByTimeAsync(80)
    expect(await next).toHaveLength(1)
  })

  it.each([
    ['its TTL', 5, 5_000],
    ['half a minute', 3_600, 30_000],
    ['nothing', 0, 0],
  ])('knows an address for %s', async (_what, ttl, ms) => {
    const { asked, names } = serversOf({ a: { 4: ['8.8.8.8'], ttl } })
    await names.resolve('a', 't')
    if (ms > 0) {
      jest.advanceTimersByTime(ms - 10)
      await names.resolve('a', 'u')
      expect(asked).toHaveLength(1)
      jest.advanceTimersByTime(20)
    }
    await names.resolve('a', 't')
    expect(asked).toHaveLength(2)
  })

  it('works without the address family that gets no answer', async () => {
    const servers = {
      resolve4: async () => [{ address: '8.8.8.8', ttl: 60 }],
      resolve6: silent,
    } as never
    const found = new HostNames({ servers, hosts: '', withinMs }).resolve('half', 't')
    await jest.advanceTimersByTimeAsync(310)
    expect(await found).toEqual([{ address: '8.8.8.8', family: 4 }])
  })

  it('knows localhost and what the hosts file names without asking', async () => {
    const hosts = '# comment\n10.0.0.7\tdb Db.internal # here\n::1 localhost\n127.0.0.1 localhost\n'
    const servers = { resolve4: silent, resolve6: silent } as never
    const names = new HostNames({ servers, hosts, withinMs })
    expect(await names.resolve('db.internal', 't')).toEqual([{ address: '10.0.0.7', family: 4 }])
    expect((await names.resolve('localhost', 't')).map(({ family }) => family)).toEqual([4, 6])
    expect(await names.resolve('any.localhost', 't')).toHaveLength(2)
  })
})
