import { describe, expect, it } from '@jest/globals'
import { checkEviction } from './check-eviction.ts'

async function logOf(answer: () => Promise<Record<string, string>>): Promise<unknown[]> {
  const logged: unknown[] = []
  const record = (level: string) => (fields: object, event: string) =>
    void logged.push({ level, event, ...fields })
  const log = { error: record('error'), warn: record('warn') } as never
  await checkEviction({ configGet: answer }, log)
  return logged
}

describe('whether Redis may evict', () => {
  it('is not logged if it keeps everything', async () => {
    expect(await logOf(async () => ({ 'maxmemory-policy': 'noeviction' }))).toEqual([])
  })

  it('is an error that names the policy', async () => {
    expect(await logOf(async () => ({ 'maxmemory-policy': 'allkeys-lru' }))).toMatchObject([
      { level: 'error', event: 'redis.may.evict', policy: 'allkeys-lru' },
    ])
  })

  it.each([
    ['CONFIG is forbidden', () => Promise.reject(new Error("NOPERM this user can't run 'config'"))],
    ['it says nothing', () => Promise.resolve({})],
  ])('is logged as unknown when %s', async (_what, answer) => {
    expect(await logOf(answer)).toMatchObject([{ level: 'warn', event: 'redis.eviction.unknown' }])
  })
})
