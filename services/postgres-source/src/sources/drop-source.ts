import { reasonOf } from '@surehook/service-kit/errors'
import type { Logger } from 'pino'
import type { Connect } from '../connection/connect.ts'
import { dropSlot, dropSlotSql } from '../left-slots/drop-slot.ts'
import { type SourceRow, slotNameOf } from '../source-row.ts'

export type DroppedSource = { slotDropped: boolean; sql: string[] }
export type DropSource = (row: SourceRow) => Promise<DroppedSource>

export type DropSourceDeps = {
  connect: Connect
  /** Deletes the source, and ends its reading in this process. Other replicas stop soon. */
  remove: (id: string) => Promise<void>
  log: Logger
}

/**
 * Deletes a source, and drops its slot for the answer. Whatever comes of it, the slot is looked at
 * again once all replicas have stopped reading it.
 */
export const createDropSource =
  ({ connect, remove, log }: DropSourceDeps): DropSource =>
  async (row) => {
    await remove(row.id)
    try {
      return { slotDropped: await dropSlot(connect, row), sql: [] }
    } catch (err) {
      const { id, project_id: projectId, environment, name } = row
      const slot = slotNameOf(id)
      const reason = reasonOf(err)
      log.warn({ id, projectId, environment, name, slot, reason }, 'source.slot.left')
      return { slotDropped: false, sql: [dropSlotSql(slot)] }
    }
  }
