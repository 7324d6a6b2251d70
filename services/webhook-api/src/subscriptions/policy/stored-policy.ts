import { type DeliveryPolicy, defaultPolicy } from '@surehook/contracts/events'
import type { Policy } from '@surehook/contracts/http/webhooks/policy/policy'

/** What was set of a policy; a restored row may also have keys that are at their default. */
export type StoredPolicy = Partial<DeliveryPolicy>

/** What the dispatchers get: every key. */
export const toPolicy = (stored: StoredPolicy): DeliveryPolicy => ({ ...defaultPolicy, ...stored })

/** What clients see: names of headers, never their values; `undefined` when all of it is at its default. */
export function shownPolicy(stored: StoredPolicy | null): Policy | undefined {
  if (stored === null) return undefined
  const { headers, retryAfter, gone, retryDelays, concurrency, perSecond } = toPolicy(stored)
  const policy: Policy = {
    ...(headers && { headerNames: headers.names }),
    ...(retryAfter && { retryAfter }),
    ...(gone && { gone }),
    ...(retryDelays && { retryDelays }),
    ...(concurrency !== null && { concurrency }),
    ...(perSecond !== null && { rateLimit: { perSecond } }),
  }
  return Object.keys(policy).length === 0 ? undefined : policy
}
