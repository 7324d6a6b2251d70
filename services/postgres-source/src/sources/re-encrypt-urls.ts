import type { EncryptionKeys } from '@surehook/service-kit/config/config'
import { createReEncryption } from '@surehook/service-kit/crypto/re-encrypt'
import type { Pool } from 'pg'
import type { Logger } from 'pino'
import { type SourceRow, urlContext } from '../source-row.ts'

type SealedUrl = Pick<SourceRow, 'id' | 'url'>

/** Tables with URLs, and their column with the source that a URL is encrypted for. */
const sealed = { source: 'id', left_slot: 'source_id' }

/**
 * Encrypts the URLs again that a previous key encrypted. Replicas with other keys can read them:
 * a new key is configured everywhere before it is used.
 * @returns a job, which resolves with false: all are done
 */
export function createUrlReEncryption(keys: EncryptionKeys, log: Logger) {
  const reEncrypt = createReEncryption(keys)
  async function ofTable(pool: Pool, [table, column]: [string, string]): Promise<void> {
    const { rows } = await pool.query<SealedUrl>(`select ${column} as id, url from ${table}`)
    for (const { id, url } of rows) {
      const outcome = reEncrypt(url, urlContext(id))
      if (outcome === 'current') continue
      if (outcome === 'unreadable') {
        log.error({ id }, 'source.url.unreadable')
        continue
      }
      // The version stays: the source is read in the same way.
      await pool.query(`update ${table} set url = $3 where ${column} = $1 and url = $2`, [
        ...[id, url, outcome.sealed],
      ])
      log.info({ id }, 'source.url.resealed')
    }
  }
  return async (pool: Pool): Promise<false> => {
    for (const one of Object.entries(sealed)) await ofTable(pool, one)
    return false
  }
}
