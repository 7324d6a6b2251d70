import { idempotencyKeyHours } from '@surehook/contracts/http/idempotency-key'
import type { Pool, PoolClient } from 'pg'
import { AppError } from '../errors.ts'
import type { ExpiryDeletion } from '../postgres/delete-expired.ts'

export type KeyedRequest = {
  /**
   * Equal keys in different scopes are different keys. Callers who may not read each other's
   * responses need different scopes.
   */
  scope: readonly string[]
  /** The key as the client sent it. */
  key: string
  /** `requestFingerprint` of the request. */
  fingerprint: Buffer
  /** Fingerprints of the request under previous keys. */
  alsoKnownAs?: readonly Buffer[]
}

export type Once = { answer: string; repeated: boolean }

/**
 * Runs `work`, unless the key has a stored answer, which is then returned. Key and answer commit
 * together with the changes of `work` in `tx`. A failed request leaves its key free. Concurrent
 * repetitions wait for the first request. Throws 409 if the stored fingerprint differs.
 *
 * @param table table in the service's own schema, with `scope text, key text, fingerprint bytea,
 *   answer text, created_at timestamptz, primary key (scope, key)` and an index on `created_at`
 */
export async function oncePerKey(
  tx: PoolClient,
  table: string,
  request: KeyedRequest,
  // oxlint-disable-next-line max-params -- the work comes last, as everywhere
  work: () => Promise<string>,
): Promise<Once> {
  const scope = scopeText(request)
  const { key, fingerprint, alsoKnownAs = [] } = request
  const claimed = await tx.query(
    claimKeysSql(table, `values ($1, $2, $3, '', clock_timestamp())`),
    [scope, key, fingerprint],
  )
  if (claimed.rowCount === 0) {
    const known = await tx.query<{ fingerprint: Buffer; answer: string }>(
      `select fingerprint, answer from ${table} where scope = $1 and key = $2`,
      [scope, key],
    )
    const [row] = known.rows
    if (row === undefined) throw new Error('an idempotency key went away while it was held')
    const own = [fingerprint, ...alsoKnownAs]
    if (!own.some((each) => each.equals(row.fingerprint))) throw usedOtherwise()
    return { answer: row.answer, repeated: true }
  }
  const answer = await work()
  await tx.query(`update ${table} set answer = $3 where scope = $1 and key = $2`, [
    scope,
    key,
    answer,
  ])
  return { answer, repeated: false }
}

/** The scope as the table stores it. */
export const scopeText = ({ scope }: Pick<KeyedRequest, 'scope'>): string => JSON.stringify(scope)

/**
 * SQL that claims the keys of `source`, and skips the ones that are in use. It waits for a
 * transaction that claims one of them.
 *
 * @param source rows of scope, key, fingerprint, answer and time, each key once
 */
export const claimKeysSql = (table: string, source: string): string => `
  insert into ${table} as known (scope, key, fingerprint, answer, created_at) ${source}
  on conflict (scope, key) do update
    set fingerprint = excluded.fingerprint, answer = excluded.answer,
        created_at = excluded.created_at
    where known.created_at < clock_timestamp() - interval '${idempotencyKeyHours} hours'`

const batch = 10_000

/** Job for `openExpiryDeletion` that deletes expired keys. */
export const endedKeys = (table: string): ExpiryDeletion => ({
  name: 'idempotency-keys',
  run: async (pool) => (await dropOldKeys(pool, table)) === batch,
})

/** Deletes a batch of keys that are older than `idempotencyKeyHours`. */
export async function dropOldKeys(pool: Pool, table: string): Promise<number> {
  const { rowCount } = await pool.query(
    `delete from ${table} where (scope, key) in (
       select scope, key from ${table}
       where created_at < clock_timestamp() - $1 * interval '1 hour'
       order by created_at limit $2 for update skip locked)`,
    [idempotencyKeyHours, batch],
  )
  return rowCount ?? 0
}

function usedOtherwise(): AppError {
  return new AppError('CONFLICT', 'The Idempotency-Key was used for another request', {
    violations: [
      {
        field: 'Idempotency-Key',
        message: 'was used for another request',
        rule: 'already_used',
      },
    ],
  })
}
