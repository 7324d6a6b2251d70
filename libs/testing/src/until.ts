import { waitUntil } from '@surehook/service-kit/wait-until'

/**
 * Waits for a condition that no event announces. The timeout error shows the source of the
 * condition.
 */
export const until = (
  condition: () => boolean | Promise<boolean>,
  timeoutMs = 30_000,
): Promise<void> => waitUntil(condition, { what: condition.toString(), timeoutMs, everyMs: 20 })
