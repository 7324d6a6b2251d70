import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals'
import { HostNames } from './host-names.ts'

const failed = (code: string) => Object.assign(new Error(code), { code })
const silent = () => new Promise<string[]>(() => {})

/** Name servers that count what they are asked; what they do not know is silent. */
function serversOf(known: Record<string, { 4?: string[]; 6?: string[]; error?: string }>) {
  const asked: string[] = []
  const answer = (family: 4 | 6) => async (name: string) => {
    if (family === 4) asked.push(name)
    const record = known[name]
    if (record === undefined) return silent()
    if (record.error !== undefined) throw failed(record.error)
    return record[family] ?? Promise.reject(failed('ENODATA'))
  }
  const servers = { resolve4: answer(4), resolve6: answer(6) } as never
  return { asked, names: new HostNames({ servers, hosts: '' }) }
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

  it('answers others while a thousand names of one tenant stay without an answer', async () => {
    const { asked, names } = serversOf({ good: { 4: ['8.8.8.8'] } })
    const silents = Array.from({ length: 1_000 }, (_, n) => names.resolve(`silent-${n}`, 'slow'))
    const outcomes = Promise.allSettled(silents)
    expect(await names.resolve('good', 'other')).toHaveLength(1)
    // So few are asked at once.
    expect(asked).toHaveLength(65)
    await jest.advanceTimersByTimeAsync(4_000)
    expect((await outcomes).every(({ status }) => status === 'rejected')).toBe(true)
  })

  it('fails with the class of its own when nobody answers in time', async () => {
    const { names } = serversOf({})
    const failure = names.resolve('silent', 't').catch((err: unknown) => err)
    await jest.advanceTimersByTimeAsync(4_000)
    expect(await failure).toMatchObject({ code: 'NAME_UNRESOLVED' })
  })

  it('asks once for all that want a name at the same time', async () => {
    const { asked, names } = serversOf({ a: { 4: ['8.8.8.8'] } })
    await Promise.all(['t', 't', 'u'].map((tenant) => names.resolve('a', tenant)))
    expect(asked).toEqual(['a'])
  })

  it('asks again only after some seconds for a name that does not exist', async () => {
    const { asked, names } = serversOf({ gone: { error: 'ENOTFOUND' } })
    for (let time = 0; time < 3; time++) {
      await expect(names.resolve('gone', 't')).rejects.toMatchObject({ code: 'NAME_UNRESOLVED' })
    }
    expect(asked).toHaveLength(1)
    jest.advanceTimersByTime(3_100)
    await expect(names.resolve('gone', 't')).rejects.toThrow('gone cannot be resolved')
    expect(asked).toHaveLength(2)
  })

  it('does without the family that gets no answer', async () => {
    const servers = { resolve4: async () => ['8.8.8.8'], resolve6: silent } as never
    const found = new HostNames({ servers, hosts: '' }).resolve('half', 't')
    await jest.advanceTimersByTimeAsync(300)
    expect(await found).toEqual([{ address: '8.8.8.8', family: 4 }])
  })

  it('knows localhost and what the hosts file names without asking', async () => {
    const hosts = '# comment\n10.0.0.7\tdb Db.internal # here\n::1 localhost\n127.0.0.1 localhost\n'
    const servers = { resolve4: silent, resolve6: silent } as never
    const names = new HostNames({ servers, hosts })
    expect(await names.resolve('db.internal', 't')).toEqual([{ address: '10.0.0.7', family: 4 }])
    expect((await names.resolve('localhost', 't')).map(({ family }) => family)).toEqual([4, 6])
    expect(await names.resolve('any.localhost', 't')).toHaveLength(2)
  })
})
