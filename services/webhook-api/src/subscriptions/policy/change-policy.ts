import { isDeepStrictEqual } from 'node:util'
import { type DeliveryPolicy, defaultPolicy, type SealedHeaders } from '@surehook/contracts/events'
import type { PolicyInput } from '@surehook/contracts/http/webhooks/policy/policy'
import { headerNames, openHeaders, sealHeaders } from '@surehook/matching/own-headers'
import type { SecretBox } from '@surehook/service-kit/crypto/secret-box'
import type { FittedPolicy } from './fit-to-ladder.ts'
import type { StoredPolicy } from './stored-policy.ts'

type PolicyRow = { id: string; policy: StoredPolicy | null }
/** `undefined` keeps the key, `null` resets it. */
type Change = { [Key in keyof DeliveryPolicy]: DeliveryPolicy[Key] | null | undefined }

/** Returns the merged policy. An absent key stays. `null` resets a key, or the whole policy. */
export function changePolicy(
  box: SecretBox,
  { id, policy }: PolicyRow,
  input: FittedPolicy | null | undefined,
): StoredPolicy | null {
  if (input === undefined) return policy
  if (input === null) return null
  const { rateLimit, headers, ...rest } = input
  const perSecond = rateLimit && rateLimit.perSecond
  const change: Partial<Change> = {
    ...rest,
    headers: sealed(box, { id, policy }, headers),
    perSecond,
  }
  const next: Record<string, unknown> = { ...policy }
  for (const [key, value] of Object.entries(change)) {
    if (value === undefined) continue
    const isDefault = isDeepStrictEqual(value, defaultPolicy[key as keyof DeliveryPolicy])
    if (value === null || isDefault) delete next[key]
    else next[key] = value
  }
  return Object.keys(next).length === 0 ? null : next
}

function sealed(
  box: SecretBox,
  { id, policy }: PolicyRow,
  headers: PolicyInput['headers'],
): SealedHeaders | null | undefined {
  if (headers === undefined || headers === null) return headers
  const known = policy?.headers
  // A new ciphertext of the same values would look like a change.
  if (known && isDeepStrictEqual(opened(box, id, known), { ...headers })) return known
  const names = headerNames(headers)
  return names.length === 0 ? null : { names, ciphertext: sealHeaders(box, id, headers) }
}

/** Returns `null` for values under a lost key. */
function opened(box: SecretBox, id: string, { ciphertext }: SealedHeaders): object | null {
  try {
    return openHeaders(box, id, ciphertext)
  } catch {
    return null
  }
}
