import type { SourceGap } from '@surehook/contracts/http/sources'
import type { ClientBase, Pool } from 'pg'
import { type SourceRow, slotNameOf } from '../source-row.ts'
import { type FoundSlot, gapOf, type StoredSlot } from './continuity.ts'
import { NotOwnerError, storedSlotOf, storeSlot } from './slot-store.ts'
import { createSourceSlot, dropSourceSlot, readSourceSlot } from './source-slot.ts'

export type OpenSlotDeps = {
  own: Pool
  source: ClientBase
  lease: { id: string; owner: string }
  /** States a gap. */
  onGap: (reason: SourceGap['reason']) => Promise<void>
  /** Told before the slot is created, which waits for all open transactions. */
  onCreate: () => Promise<void>
}

/**
 * Makes sure that the slot of a source can be read from where it was left. Where it cannot, states
 * the gap and goes on from now.
 *
 * @throws NotOwnerError
 */
export async function openSlot(deps: OpenSlotDeps): Promise<StoredSlot> {
  const { own, source, lease, onGap } = deps
  const slot = slotNameOf(lease.id)
  const found = await readSourceSlot(source, slot)
  const stored = await storedSlot(own, lease)
  const gap = gapOf(stored, found)
  if (gap !== null) await onGap(gap)
  const isReadable = found.slot !== null && !found.slot.isLost
  const { confirmed, ...cluster } = isReadable ? confirmedOf(found) : await newSlot(deps, found)
  // An earlier reader may be about to confirm what it has stored.
  const before = gap === null ? stored : null
  const opened = { ...cluster, acknowledged: before?.acknowledged ?? confirmed }
  try {
    await storeSlot(own, lease, opened)
  } catch (err) {
    // The source was deleted meanwhile. A slot that nobody knows would keep WAL forever.
    if (err instanceof NotOwnerError && !isReadable) await dropSourceSlot(source, slot)
    throw err
  }
  return opened
}

function confirmedOf({ systemId, timeline, slot }: FoundSlot) {
  if (slot === null) throw new Error('The slot is gone again')
  return { systemId, timeline, confirmed: slot.confirmed }
}

async function newSlot({ source, lease, onCreate }: OpenSlotDeps, found: FoundSlot) {
  const slot = slotNameOf(lease.id)
  if (found.slot !== null) await dropSourceSlot(source, slot)
  await onCreate()
  await createSourceSlot(source, slot)
  return confirmedOf(await readSourceSlot(source, slot))
}

async function storedSlot(
  own: Pool,
  { id, owner }: { id: string; owner: string },
): Promise<StoredSlot | null> {
  const { rows } = await own.query<SourceRow>('select * from source where id = $1 and owner = $2', [
    id,
    owner,
  ])
  const [row] = rows
  if (row === undefined) throw new NotOwnerError('The source is not of this replica any more')
  return storedSlotOf(row)
}
