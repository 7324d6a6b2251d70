import type { EncryptionKeys } from '@surehook/service-kit/config/config'
import { createReEncryption } from '@surehook/service-kit/crypto/re-encrypt'
import type { Pool } from 'pg'
import type { Logger } from 'pino'
import { type SourceRow, urlContext } from '../source-row.ts'

type SealedUrl = Pick<SourceRow, 'id' | 'url'>

/**
 * Encrypts the URLs again that a previous key encrypted. Replicas with other keys can read them:
 * a new key is configured everywhere before it is used.
 * @returns a job, which resolves with false: all are done
 */
export function createUrlReEncryption(keys: EncryptionKeys, log: Logger) {
  const reEncrypt = createReEncryption(keys)
  return async (pool: Pool): Promise<false> => {
    const { rows } = await pool.query<SealedUrl>('select id, url from source')
    for (const { id, url } of rows) {
      const outcome = reEncrypt(url, urlContext(id))
      if (outcome === 'current') continue
      if (outcome === 'unreadable') {
        log.error({ id }, 'source.url.unreadable')
        continue
      }
      // The version stays: the source is read in the same way.
      await pool.query('update source set url = $3 where id = $1 and url = $2', [
        ...[id, url, outcome.sealed],
      ])
      log.info({ id }, 'source.url.resealed')
    }
    return false
  }
}
