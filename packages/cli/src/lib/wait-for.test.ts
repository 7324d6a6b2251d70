import { describe, expect, it } from '@jest/globals'
import { waitFor } from './wait-for.ts'

const away = () => Object.assign(new Error('connect'), { code: 'ECONNREFUSED' })

function io() {
  const notes: string[] = []
  return {
    notes,
    note: (line: string) => void notes.push(line),
    signal: new AbortController().signal,
  }
}

describe('waitFor', () => {
  it('retries while the dependency is unreachable, even if only a nested cause shows it', async () => {
    let tries = 0
    const work = async () => {
      if (++tries < 3) throw new Error('fetch failed', { cause: away() })
      return 'done'
    }
    const seen = io()
    await expect(waitFor({ what: 'Kafka', wait: '10s' }, work, seen)).resolves.toBe('done')
    expect(seen.notes).toEqual(['waiting for Kafka: fetch failed'])
  })

  it('retries while the dependency is too busy to answer in time', async () => {
    const timeout = new DOMException('The operation was aborted due to timeout', 'TimeoutError')
    let tries = 0
    const work = async () => {
      if (++tries < 3) throw new Error('the schema was not accepted', { cause: timeout })
      return 'done'
    }
    expect(await waitFor({ what: 'the registry', wait: '10s' }, work, io())).toBe('done')
  })

  it('fails at once on a permanent error, and on others when the time is over', async () => {
    let tries = 0
    const wrong = () => {
      tries++
      return Promise.reject(new Error('Topic changes has 8 partitions'))
    }
    await expect(waitFor({ what: 'Kafka', wait: '10s' }, wrong, io())).rejects.toThrow(
      '8 partitions',
    )
    expect(tries).toBe(1)
    const never = () => Promise.reject(away())
    await expect(waitFor({ what: 'Kafka', wait: '10ms' }, never, io())).rejects.toThrow(
      'Kafka did not answer within 10ms',
    )
  })

  it('refuses a malformed duration', async () => {
    const work = () => Promise.resolve()
    await expect(waitFor({ what: 'Kafka', wait: 'long' }, work, io())).rejects.toThrow('--wait')
  })
})
