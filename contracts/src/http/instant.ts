import * as z from 'zod'

// Checked in UTC: an offset can move a time out of the years 1 to 9999, which PostgreSQL and four
// digits limit.
const hasYear = (at: Date) => at.getUTCFullYear() >= 1 && at.getUTCFullYear() <= 9999

/** A `Date` in UTC. RFC 3339 allows offsets up to 23:59, PostgreSQL only up to 15:59. */
export const Instant = z.iso
  .datetime({ offset: true, abort: true })
  .refine((text) => hasYear(new Date(text)), {
    error: 'must be in the years 1 to 9999',
    abort: true,
  })
  .transform((text) => new Date(text))
