import { unavailable } from '@surehook/service-kit/errors'
import { connectTimeoutMs } from '@surehook/service-kit/postgres/pool'
import { FairSlots } from '@surehook/service-kit/slots/fair-slots'
import type { Pool } from 'pg'

type Tenant = { projectId: string; environment: string }

export type TenantSlots = {
  /**
   * Does the work while the tenant holds a slot. Rejects with SERVICE_UNAVAILABLE after too long a
   * wait.
   */
  run<T>(tenant: Tenant, work: () => Promise<T> | T): Promise<T>
}

/**
 * Limits the concurrent requests of each tenant, so that slow requests of one leave connections for
 * others.
 */
export function createTenantSlots(limits: { perTenant: number; maxWaitMs: number }): TenantSlots {
  const slots = slotsOf(limits.perTenant, limits.maxWaitMs)
  return {
    run: ({ projectId, environment }, work) =>
      slots.run(JSON.stringify([projectId, environment]), work),
  }
}

/** Does work of a project while the project holds a slot. */
export type ProjectSlots = <T>(projectId: string, work: () => Promise<T>) => Promise<T>

/**
 * Lets the work of one project hold at most a quarter of the pool's connections. A project may have
 * many environments.
 */
export function createProjectSlots({ options }: Pick<Pool, 'options'>): ProjectSlots {
  const slots = slotsOf(Math.max(1, Math.floor(options.max / 4)), connectTimeoutMs)
  return (projectId, work) => slots.run(projectId, work)
}

const slotsOf = (each: number, maxWaitMs: number) =>
  new FairSlots({
    room: { each },
    maxWaitMs,
    refusal: () => unavailable('The tenant has too much under way'),
  })
