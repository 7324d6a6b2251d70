import { createHmac } from 'node:crypto'

const bytes = 16

/**
 * Returns a text that tells whether a secret value of a subscription is a known one, without
 * revealing it. Equal values of two subscriptions have different fingerprints. A reader of the
 * fingerprint may also set the subscription's URL, and so may already obtain signatures of the
 * secret.
 */
export function secretFingerprint(subscriptionId: string, value: string): string {
  const hmac = createHmac('sha256', `surehook fingerprint ${subscriptionId}`).update(value)
  return hmac.digest().subarray(0, bytes).toString('base64url')
}
