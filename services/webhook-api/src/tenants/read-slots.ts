import { createTenantSlots, type TenantSlots } from '@surehook/access/limits/tenant-slots'
import { AppError } from '@surehook/service-kit/errors'

/** How many reads of a project may wait behind the running one: half of them of one environment. */
const waiting = { each: 8 }

/**
 * Runs one expensive read per project at a time, so that heavy use by one project delays only that
 * project. Rejects with RATE_LIMIT_EXCEEDED when too many wait.
 */
export const createReadSlots = (): TenantSlots =>
  createTenantSlots({
    room: { each: 1 },
    waiting,
    refusal: () =>
      new AppError('RATE_LIMIT_EXCEEDED', 'Too many reads of this project wait', {
        retryAfterS: 1,
      }),
  })
