import { createHmac } from 'node:crypto'
import { secretPart } from './own-headers.ts'

const bytes = 16
/** A shorter secret can be guessed from its fingerprint. */
const leastLength = 24
const standardPrefix = /^whsec_/

/**
 * Returns a text that tells whether a secret value of a subscription is a known one, without
 * revealing it. Equal values of two subscriptions have different fingerprints.
 * @returns `undefined` for a value whose secret part is too short
 */
export function secretFingerprint(subscriptionId: string, value: string): string | undefined {
  if (secretPart(value).replace(standardPrefix, '').length < leastLength) return undefined
  const hmac = createHmac('sha256', `surehook fingerprint ${subscriptionId}`).update(value)
  return hmac.digest().subarray(0, bytes).toString('base64url')
}

/** @returns `undefined` if the fingerprint cannot tell, because the value is too short */
export function isFingerprintOf(
  fingerprint: string | undefined,
  { subscriptionId, value }: { subscriptionId: string; value: string },
): boolean | undefined {
  const known = secretFingerprint(subscriptionId, value)
  return known === undefined ? undefined : known === fingerprint
}
