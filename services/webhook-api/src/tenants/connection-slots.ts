import { connectionRoom } from '@surehook/access/limits/tenant-slots'
import type { Within } from '@surehook/change-capture/emit/state-writer'
import { FairSlots } from '@surehook/service-kit/slots/fair-slots'
import type { Pool } from 'pg'
import type { Tenant } from './tenant.ts'

/**
 * Limits what holds a database connection. Work must not wait inside for anything else. `history`
 * limits requests of the history database: while it does not answer, they hold no other slot.
 */
export type ConnectionSlots = Readonly<
  Record<'read' | 'write' | 'history', (tenant: Tenant) => Within>
>

/** For requests that read both databases, one after the other. */
export type ReadSlots = Pick<ConnectionSlots, 'read' | 'history'>

type Connections = Record<'pool' | 'historyPool', Pick<Pool, 'options'>>

/**
 * The requests of one project hold at most a quarter of the connections to read, a quarter to write,
 * so that slow writes leave connections to read, and a quarter of those to the history. Background
 * work has pools of its own.
 */
export function connectionSlots({ pool, historyPool }: Connections): ConnectionSlots {
  const each = 1 / 4
  const slots = new FairSlots(connectionRoom(pool, { each }))
  const ofHistory = new FairSlots(connectionRoom(historyPool, { each }))
  const slotsOf =
    (use: 'read' | 'write'): ConnectionSlots['read'] =>
    ({ projectId, environment }) =>
    (work) =>
      slots.run([`${use}/${projectId}`, environment], work)
  return {
    read: slotsOf('read'),
    write: slotsOf('write'),
    history:
      ({ projectId, environment }) =>
      (work) =>
        ofHistory.run([projectId, environment], work),
  }
}
