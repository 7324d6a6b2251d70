export const sessionMs = 10_000
/**
 * Shorter than the session by the time that an attempt needs to leave the process, and by the
 * difference of clocks.
 */
export const leaseMs = 8_000
export const commitWithinMs = 2_000
export const closeWithinMs = 1_000
/** Milliseconds without an answer after which a member counts as not consuming. */
export const silenceMs = 6_000
