import { connectionRoom } from '@surehook/access/limits/tenant-slots'
import type { Within } from '@surehook/change-capture/emit/state-writer'
import { FairSlots } from '@surehook/service-kit/slots/fair-slots'
import type { Pool } from 'pg'
import type { Tenant } from './tenant.ts'

/** Limits what holds a database connection. Work must not wait inside for anything else. */
export type ConnectionSlots = Readonly<Record<'read' | 'write', (tenant: Tenant) => Within>>

/**
 * The requests of one project hold at most a quarter of the connections to read, and a quarter to
 * write, so that slow writes leave connections to read. Background work has a pool of its own.
 */
export function connectionSlots(pool: Pick<Pool, 'options'>): ConnectionSlots {
  const slots = new FairSlots(connectionRoom(pool, { each: 1 / 4 }))
  const slotsOf =
    (use: 'read' | 'write'): ConnectionSlots['read'] =>
    ({ projectId, environment }) =>
    (work) =>
      slots.run([`${use}/${projectId}`, environment], work)
  return { read: slotsOf('read'), write: slotsOf('write') }
}
