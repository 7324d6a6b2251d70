import { createProjectSlots } from '@surehook/access/limits/tenant-slots'
import type { Within } from '@surehook/change-capture/emit/state-writer'
import type { Pool } from 'pg'
import type { Tenant } from './tenant.ts'

/** Limits what holds a database connection. Work must not wait inside for anything else. */
export type ConnectionSlots = Readonly<Record<'read' | 'write', (tenant: Tenant) => Within>>

/**
 * The requests of one project hold at most a quarter of the connections to read, and a quarter to
 * write. The rest is for other projects and for the history.
 */
export function connectionSlots(pool: Pick<Pool, 'options'>): ConnectionSlots {
  const slotsOf = (): ConnectionSlots['read'] => {
    const run = createProjectSlots(pool)
    return ({ projectId }) =>
      (work) =>
        run(projectId, work)
  }
  return { read: slotsOf(), write: slotsOf() }
}
