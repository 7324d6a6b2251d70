import { unavailable } from '@surehook/service-kit/errors'
import { connectTimeoutMs } from '@surehook/service-kit/postgres/pool'
import { FairSlots, type FairSlotsOptions } from '@surehook/service-kit/slots/fair-slots'
import type { Pool } from 'pg'

type Tenant = { projectId: string; environment: string }

export type TenantSlots = {
  /**
   * Does the work while the tenant's project holds a slot. Rejects with the refusal, by default
   * SERVICE_UNAVAILABLE.
   */
  run<T>(tenant: Tenant, work: () => Promise<T> | T): Promise<T>
}

/**
 * Limits the concurrent work of each project. The environments of a project share its slots, and
 * take turns.
 */
export function createTenantSlots(options: FairSlotsOptions): TenantSlots {
  const slots = new FairSlots({ refusal: busy, ...options })
  return {
    run: ({ projectId, environment }, work) => slots.run([projectId, environment], work),
  }
}

/**
 * Slots for the connections of a pool. Work waits for them in fair turns, and not in the queue of
 * the pool.
 * @param share the shares of the pool that all owners may hold together, and that each may hold
 */
export function connectionRoom(
  pool: Pick<Pool, 'options'>,
  share: { all?: number; each: number },
): FairSlotsOptions {
  const slotsOf = (part = 1) => Math.max(1, Math.floor(pool.options.max * part))
  return {
    room: { all: slotsOf(share.all), each: slotsOf(share.each) },
    maxWaitMs: connectTimeoutMs(pool),
    refusal: busy,
  }
}

const busy = () => unavailable('The tenant has too much under way')
