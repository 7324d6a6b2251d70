import { createTenantGate } from '@surehook/access/limits/tenant-gate'
import type { Pool } from 'pg'
import type { Tenant } from './tenant.ts'

type Enter = <T>(tenant: Tenant, work: () => Promise<T>) => Promise<T>

/** Limits what holds a database connection. Work must not wait inside for anything else. */
export type ProjectPlaces = { read: Enter; write: Enter }

/** Equals the longest wait for a database connection. */
const maxWaitMs = 3_000

/**
 * The requests of one project hold at most a quarter of the connections to read, and a quarter to
 * write. The rest is for others and for the history.
 */
export function projectPlaces(pool: Pick<Pool, 'options'>): ProjectPlaces {
  const maxInside = Math.max(1, Math.floor(pool.options.max / 4))
  const places = (): Enter => {
    const gate = createTenantGate({ maxInside, maxWaitMs })
    // Without the environment: a project may have many.
    return ({ projectId }, work) => gate.pass({ projectId, environment: '' }, work)
  }
  return { read: places(), write: places() }
}
