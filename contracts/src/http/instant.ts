import * as z from 'zod'

// In UTC: an offset may carry a time out of the years that PostgreSQL and four digits have.
const hasYear = (at: Date) => at.getUTCFullYear() >= 1 && at.getUTCFullYear() <= 9999

/** As a `Date`, in UTC: RFC 3339 has offsets up to 23:59, PostgreSQL refuses those over 15:59. */
export const Instant = z.iso
  .datetime({ offset: true, abort: true })
  .refine((text) => hasYear(new Date(text)), {
    error: 'must be in the years 1 to 9999',
    abort: true,
  })
  .transform((text) => new Date(text))
