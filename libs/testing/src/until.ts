import { waitUntil } from '@surehook/service-kit/wait-until'

/** Waits for a condition that no event announces; the error shows its source. */
export const until = (
  condition: () => boolean | Promise<boolean>,
  timeoutMs = 30_000,
): Promise<void> => waitUntil(condition, { what: condition.toString(), timeoutMs, everyMs: 20 })
