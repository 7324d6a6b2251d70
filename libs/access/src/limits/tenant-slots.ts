import { unavailable } from '@surehook/service-kit/errors'
import { connectTimeoutMs } from '@surehook/service-kit/postgres/pool'
import { FairSlots, type FairSlotsOptions } from '@surehook/service-kit/slots/fair-slots'
import type { Pool } from 'pg'

type Tenant = { projectId: string; environment: string }

export type TenantSlots = {
  /**
   * Does the work while the tenant holds a slot. Rejects with the refusal, by default
   * SERVICE_UNAVAILABLE.
   */
  run<T>(tenant: Tenant, work: () => Promise<T> | T): Promise<T>
}

export type TenantSlotsOptions = Pick<FairSlotsOptions, 'waiting' | 'maxWaitMs' | 'refusal'> & {
  perTenant: number
}

/**
 * Limits the concurrent requests of each tenant, so that slow requests of one leave connections for
 * others.
 */
export function createTenantSlots({ perTenant, ...options }: TenantSlotsOptions): TenantSlots {
  const slots = new FairSlots({ room: { each: perTenant }, refusal: busy, ...options })
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
  const each = Math.max(1, Math.floor(options.max / 4))
  const slots = new FairSlots({ room: { each }, maxWaitMs: connectTimeoutMs, refusal: busy })
  return (projectId, work) => slots.run(projectId, work)
}

const busy = () => unavailable('The tenant has too much under way')
