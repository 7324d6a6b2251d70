import { isDeepStrictEqual } from 'node:util'
import type { DeliveryPolicyInput, Subscription } from '@surehook/client'
import { isFingerprintOf } from '@surehook/matching/secret-fingerprint'
import { parseDuration } from '@surehook/service-kit/time'
import type { PolicyWish } from '../file/wishes.ts'
import type { Change } from './steps.ts'

type Difference = { changes: Change[]; input: DeliveryPolicyInput }

/**
 * Returns the keys of the policy that differ. `null` sets a key to its default.
 * @param url the URL that the subscription gets. Another one than its own may drop its headers, so
 * they are sent again.
 */
export function comparePolicy(wish: PolicyWish, url: string, found: Subscription): Difference {
  const { headers, ...rest } = wish
  const policy = found.policy ?? {}
  const keys = Object.keys(rest) as (keyof typeof rest)[]
  const changed = keys.filter(
    (key) => !isDeepStrictEqual(normal(key, rest[key]), normal(key, policy[key])),
  )
  const changes = changed.map(
    (key): Change => ({ field: `policy.${key}`, before: policy[key] ?? null, after: rest[key] }),
  )
  const input = Object.fromEntries(changed.map((key) => [key, rest[key]])) as DeliveryPolicyInput
  const ofHeaders = changedHeaders(headers, found)
  const isLeft = url === found.url || orNull(headers) === null
  if (ofHeaders.length === 0 && isLeft) return { changes, input }
  return { changes: [...changes, ...ofHeaders], input: { ...input, headers: orNull(headers) } }
}

/** The policy of a new subscription: only what differs from the defaults. */
export function policyInput({ headers, ...rest }: PolicyWish): DeliveryPolicyInput | null {
  const set = Object.entries(rest).filter(([, value]) => value !== null && value !== false)
  const own = orNull(headers)
  const input = { ...Object.fromEntries(set), ...(own && { headers: own }) }
  return Object.keys(input).length === 0 ? null : input
}

const orNull = (headers: PolicyWish['headers']) =>
  Object.keys(headers).length === 0 ? null : { ...headers }

/** The API names delays as the installation does: `60s` may come back as `1m`. */
function normal(key: string, value: unknown): unknown {
  if (value === undefined || value === null) return key === 'retryAfter' ? false : null
  return key === 'retryDelays' ? (value as string[]).map(parseDuration) : value
}

function changedHeaders(wish: PolicyWish['headers'], { id, policy, fingerprints }: Subscription) {
  const before = new Set(policy?.headerNames)
  const names = [...new Set([...before, ...Object.keys(wish)])].toSorted()
  return names
    .map((name): Change | null => {
      const field = `policy.headers.${name}`
      const value = wish[name]
      if (!before.has(name)) return { field, before: null, after: hiddenValue }
      if (value === undefined) return { field, before: hiddenValue, after: null }
      return compareSecret(field, fingerprints?.headers[name], { subscriptionId: id, value })
    })
    .filter((change) => change !== null)
}

/** Returns `null` if the subscription has the value. */
export function compareSecret(
  field: string,
  fingerprint: string | undefined,
  known: { subscriptionId: string; value: string },
): Change | null {
  const isSame = isFingerprintOf(fingerprint, known)
  if (isSame === undefined) return { field, hidden: true, unknown: true }
  return isSame ? null : { field, hidden: true }
}

/** Stands for a value that is not shown. */
export const hiddenValue = '(hidden)'
