import { afterEach, expect, it, jest } from '@jest/globals'
import type { Pool } from 'pg'
import { jobsReader } from './running-jobs.ts'

afterEach(() => {
  jest.useRealTimers()
})

const recovery = (id: string) => ({
  ...{ id, project_id: 'shop', environment: 'master', subscription_id: id, url: null, total: 3 },
  ...{ since: new Date(0), until: new Date(1), requested_at: new Date(2) },
  ...{ position_at: new Date(0), position_id: id },
})

it('does not wait longer than 4 s for counts, and leaves out those that are missing', async () => {
  jest.useFakeTimers()
  let counts = 0
  const query = async (sql: string) => {
    if (sql.includes('from replay')) return { rows: [] }
    if (sql.includes('from recovery')) return { rows: ['a', 'b', 'c'].map(recovery) }
    counts += 1
    return counts === 1 ? { rows: [{ count: 7 }] } : new Promise(() => {})
  }
  const pool = { query } as unknown as Pool
  const jobs = jobsReader({ pool, historyPool: pool, rebuilds: { newest: async () => null } })()
  await jest.advanceTimersByTimeAsync(4_000)
  expect((await jobs).recoveries.map(({ left }) => left)).toEqual([7, null, null])
  expect(counts).toBe(2)
})
