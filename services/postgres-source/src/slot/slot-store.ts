import { formatLsn, parseLsn } from '@surehook/change-capture/slot/lsn'
import type { SourceGap } from '@surehook/contracts/http/sources'
import type { Pool } from 'pg'
import type { SourceRow } from '../source-row.ts'
import type { StoredSlot } from './continuity.ts'

/** What is stored of a source's slot; `null`: it was never read. */
export const storedSlotOf = ({
  system_id: systemId,
  timeline,
  acknowledged,
}: Pick<SourceRow, 'system_id' | 'timeline' | 'acknowledged'>): StoredSlot | null =>
  systemId === null || timeline === null || acknowledged === null
    ? null
    : { systemId, timeline, acknowledged: parseLsn(acknowledged) }

/** The source was deleted, or is read by another replica. */
export class NotOwnerError extends Error {
  override readonly name = 'NotOwnerError'
}

/**
 * Stores where the slot will be confirmed, before it is. A slot that is found ahead of it was moved
 * by somebody else.
 *
 * @throws NotOwnerError
 */
export async function storeSlot(
  pool: Pool,
  { id, owner }: { id: string; owner: string },
  { systemId, timeline, acknowledged }: StoredSlot,
): Promise<void> {
  const { rowCount } = await pool.query(
    `update source set system_id = $3, timeline = $4, acknowledged = $5
      where id = $1 and owner = $2`,
    [id, owner, systemId, timeline, formatLsn(acknowledged)],
  )
  if (rowCount === 0) throw new NotOwnerError('The source is not of this replica any more')
}

/** Stores that changes may be missing. @throws NotOwnerError */
export async function storeGap(
  pool: Pool,
  { id, owner }: { id: string; owner: string },
  gap: SourceGap,
): Promise<void> {
  const { rowCount } = await pool.query('update source set gap = $3 where id = $1 and owner = $2', [
    id,
    owner,
    JSON.stringify(gap),
  ])
  if (rowCount === 0) throw new NotOwnerError('The source is not of this replica any more')
}

/** The slot was dropped on purpose: the next one continues nothing. */
export async function forgetSlot(
  pool: Pool,
  { id, owner }: { id: string; owner: string },
): Promise<void> {
  await pool.query(
    `update source set system_id = null, timeline = null, acknowledged = null
      where id = $1 and owner = $2`,
    [id, owner],
  )
}
