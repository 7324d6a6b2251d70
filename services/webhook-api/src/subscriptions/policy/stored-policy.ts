import { type DeliveryPolicy, defaultPolicy } from '@surehook/contracts/events'
import type { Policy } from '@surehook/contracts/http/webhooks/policy/policy'

/** The keys of a policy that were set. A restored row may also have keys at their defaults. */
export type StoredPolicy = Partial<DeliveryPolicy>

/** Returns the policy for the dispatchers, with every key. */
export const toPolicy = (stored: StoredPolicy): DeliveryPolicy => ({ ...defaultPolicy, ...stored })

/**
 * Returns the policy for clients, with names of headers and without values. `undefined` if every
 * key is at its default.
 */
export function shownPolicy(stored: StoredPolicy | null): Policy | undefined {
  if (stored === null) return undefined
  const { headers, retryAfter, gone, retryDelays, concurrency, perSecond, ordered } =
    toPolicy(stored)
  const policy: Policy = {
    ...(headers && { headerNames: headers.names }),
    ...(retryAfter && { retryAfter }),
    ...(gone && { gone }),
    ...(retryDelays && { retryDelays }),
    ...(concurrency !== null && { concurrency }),
    ...(perSecond !== null && { rateLimit: { perSecond } }),
    ...(ordered && { ordered }),
  }
  return Object.keys(policy).length === 0 ? undefined : policy
}
