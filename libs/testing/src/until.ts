import { type WaitOptions, waitUntil } from '@surehook/service-kit/wait-until'

/**
 * Waits for a condition that no event announces, 30 s unless told otherwise. The timeout error says
 * what was awaited, by default with the source of the condition.
 */
export const until = (
  condition: () => boolean | Promise<boolean>,
  options: Partial<WaitOptions> = {},
): Promise<void> =>
  waitUntil(condition, { what: condition.toString(), timeoutMs: 30_000, ...options })
