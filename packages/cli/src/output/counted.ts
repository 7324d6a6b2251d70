import { countedDeliveries } from '@surehook/contracts/http/webhooks/deliveries'

/** The count of an answer to `cancel` or `recover`, which may be more than was counted. */
export const counted = (count: number): string =>
  count < countedDeliveries ? String(count) : `at least ${count}`
