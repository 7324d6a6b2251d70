import { type WaitOptions, waitUntil } from '@surehook/service-kit/wait-until'

/** Ends only a test that fails, so it allows for a slow and busy machine. */
export const patienceMs = 90_000

/**
 * Waits for a condition that no event announces, 90 s unless told otherwise. The timeout error says
 * what was awaited, by default with the source of the condition.
 */
export const until = (
  condition: () => boolean | Promise<boolean>,
  options: Partial<WaitOptions> = {},
): Promise<void> =>
  waitUntil(condition, { what: condition.toString(), timeoutMs: patienceMs, ...options })
