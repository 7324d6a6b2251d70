import { until as untilWithin } from '@surehook/testing/until'

/** Waits for a condition that no event announces, as long as a whole system may take. */
export const until = (
  condition: () => boolean | Promise<boolean>,
  withinMs = 30_000,
): Promise<void> => untilWithin(condition, withinMs)
