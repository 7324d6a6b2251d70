import { setImmediate } from 'node:timers/promises'
import { expect, it } from '@jest/globals'
import type { Pool } from 'pg'
import { environmentStats } from './environment-stats.ts'

/** A pool without rows. It counts the queries that run at once. */
function emptyPool() {
  const seen = { running: 0, most: 0 }
  const query = async () => {
    seen.running += 1
    seen.most = Math.max(seen.most, seen.running)
    await setImmediate()
    seen.running -= 1
    return { rows: [] }
  }
  return { pool: { query } as unknown as Pool, seen }
}

const page = { window: '1h', limit: 10, cursor: undefined } as const

it('an environment takes one connection for its statistics, and another one its own', async () => {
  const { pool, seen } = emptyPool()
  const stats = environmentStats(pool, Date.now)
  const ask = (environment: string) => stats({ projectId: 'shop', environment }, page)
  await Promise.all([ask('master'), ask('master'), ask('master')])
  expect(seen.most).toBe(1)
  await Promise.all([ask('master'), ask('dev')])
  expect(seen.most).toBe(2)
  const answers = await Promise.allSettled(Array.from({ length: 6 }, () => ask('master')))
  expect(answers.filter(({ status }) => status === 'rejected')).toMatchObject([
    { reason: { code: 'RATE_LIMIT_EXCEEDED' } },
  ])
})
