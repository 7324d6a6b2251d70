import { idempotencyKeyHours } from '@surehook/contracts/http/idempotency-key'
import type { ExpiryDeletion } from '@surehook/service-kit/postgres/delete-expired'
import { deleteInBatches } from '@surehook/service-kit/postgres/delete-in-batches'
import type { Pool } from 'pg'
import type { Tenant } from '../table-definition.ts'

const batch = 10_000

/** Deletes the ids that have been kept for long enough. For `openExpiryDeletion`. */
export const endedIds: ExpiryDeletion = {
  name: 'published-ids',
  run: async (pool) => (await deleteEndedIds(pool)) === batch,
}

async function deleteEndedIds(pool: Pool): Promise<number> {
  const { rowCount } = await pool.query(
    `delete from published_change where (project_id, environment, id) in (
       select project_id, environment, id from published_change
       where published_at < clock_timestamp() - $1 * interval '1 hour'
       order by published_at limit $2 for update skip locked)`,
    [idempotencyKeyHours, batch],
  )
  return rowCount ?? 0
}

/** @returns true if there were any */
export const deleteIdsOf = (
  pool: Pool,
  { projectId, environment }: Tenant,
  mayGoOn: () => Promise<boolean>,
): Promise<boolean> =>
  deleteInBatches(pool, {
    table: 'published_change',
    where: 'project_id = $1 and environment = $2',
    values: [projectId, environment],
    mayGoOn,
  })
