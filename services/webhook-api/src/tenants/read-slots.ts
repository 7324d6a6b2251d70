import { createTenantSlots, type TenantSlots } from '@surehook/access/limits/tenant-slots'
import { AppError } from '@surehook/service-kit/errors'

/** How many reads of a tenant may wait behind the running one. */
const waiting = { each: 4 }

/**
 * Runs one expensive read per tenant at a time, so that heavy use by one tenant delays only that
 * tenant. Rejects with RATE_LIMIT_EXCEEDED when too many wait.
 */
export const createReadSlots = (): TenantSlots =>
  createTenantSlots({
    perTenant: 1,
    waiting,
    refusal: () =>
      new AppError('RATE_LIMIT_EXCEEDED', 'Too many reads of this environment wait', {
        retryAfterS: 1,
      }),
  })
