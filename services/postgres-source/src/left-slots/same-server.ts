import { randomInt } from 'node:crypto'
import type { ClientBase } from 'pg'

/**
 * True if two connections lead to one server, at whatever addresses, or the second one to a standby,
 * whose slots are those of its primary. The identifier of the cluster does not tell: a restored copy
 * has the same.
 */
export async function isSameServer(first: ClientBase, second: ClientBase): Promise<boolean> {
  const key = randomInt(2 ** 47)
  await first.query('select pg_advisory_lock($1)', [key])
  const { rows } = await second.query<{ isStandby: boolean; isFree: boolean }>(
    'select pg_is_in_recovery() as "isStandby", pg_try_advisory_lock($1) as "isFree"',
    [key],
  )
  // Rejects if the server restarted meanwhile, which frees the lock.
  await first.query('select pg_advisory_unlock($1)', [key])
  const [row] = rows
  if (row === undefined) throw new Error('PostgreSQL returned no row')
  return row.isStandby || !row.isFree
}
