import { expect, it } from '@jest/globals'
import { waitUntil } from '@surehook/service-kit/wait-until'
import type { Pool } from 'pg'
import { pino } from 'pino'
import { purgeDeleted } from './purge-deleted.ts'

const deletedAt = new Date().toISOString()
const failing = { projectId: 'failing', environment: 'master', deletedAt }
const sound = { projectId: 'sound', environment: 'master', deletedAt }

it('purges and publishes an environment although the purge of an earlier one always fails', async () => {
  const purged: string[] = []
  const published: string[] = []
  let relays = 0
  const pool = {
    async query(_sql: string, [, content]: string[]) {
      expect(relays).toBe(published.length + 1)
      published.push(content?.split('\n')[1] ?? '')
      return { rows: [{ lsn: '0/1' }] }
    },
  }
  await using _purging = purgeDeleted({
    service: 'data-api',
    pool: pool as unknown as Pool,
    deleted: () => [failing, sound],
    isDeleted: async () => true,
    async purge({ projectId }) {
      purged.push(projectId)
      if (projectId === 'failing') throw new Error('the purge failed')
      return false
    },
    async relayed() {
      relays += 1
    },
    settleMs: 0,
    log: pino({ level: 'silent' }),
  })
  await waitUntil(() => published.length > 0, { what: 'the purge', timeoutMs: 10_000 })
  expect(published.map((body) => JSON.parse(body))).toEqual([{ ...sound, service: 'data-api' }])
  expect(purged).toEqual(['failing', 'sound', 'failing', 'sound'])
})
