import { WebhookError } from '../webhook-error.ts'
import type { SecretKeys } from './keys.ts'

/** Reads a header. Names are in lower case. */
export type HeaderOf = (name: string) => string | null

export type SignedId = { readonly webhookId: string; readonly attemptedAt: Date }

/**
 * Verifies `webhook-signature` (Standard Webhooks 1.0.0) with any of the keys, then the age of
 * `webhook-timestamp`. Throws a `WebhookError`.
 */
export function verifyStandardSignature(
  { header, text }: { header: HeaderOf; text: string },
  keys: readonly SecretKeys[],
  toleranceS: number,
): SignedId {
  const webhookId = header('webhook-id')
  const timestamp = header('webhook-timestamp')
  const signatures = header('webhook-signature')
  if (!webhookId || !timestamp || !signatures) {
    const names = 'webhook-id, webhook-timestamp or webhook-signature'
    throw new WebhookError('missing_headers', `The request has no ${names}`)
  }
  // The library signs the number, so only one spelling of it may pass.
  if (!/^(?:0|[1-9]\d{0,11})$/.test(timestamp)) {
    throw new WebhookError('invalid_timestamp', 'webhook-timestamp is not a number of seconds')
  }
  const attemptedAt = new Date(Number(timestamp) * 1000)
  const given = signatures.split(' ')
  // `verify` of the library has a fixed tolerance, so its `sign` is compared here.
  const matches = keys.some(({ standard }) => {
    const expected = standard.sign(webhookId, attemptedAt, text)
    return given.some((signature) => isSame(signature, expected))
  })
  if (!matches) {
    throw new WebhookError('signature_mismatch', 'No signature in webhook-signature is valid')
  }
  requireRecent(attemptedAt, toleranceS)
  return { webhookId, attemptedAt }
}

function requireRecent(attemptedAt: Date, toleranceS: number): void {
  const ageS = (Date.now() - attemptedAt.getTime()) / 1000
  const limit = `more than ${toleranceS} s from the clock of the receiver`
  if (ageS > toleranceS) throw new WebhookError('timestamp_too_old', `The attempt is old: ${limit}`)
  if (ageS < -toleranceS) {
    throw new WebhookError('timestamp_too_new', `The attempt is in the future: ${limit}`)
  }
}

/** Compares in a time that depends only on the lengths, which are no secret. */
function isSame(given: string, expected: string): boolean {
  if (given.length !== expected.length) return false
  let difference = 0
  for (let at = 0; at < expected.length; at++) {
    difference |= given.charCodeAt(at) ^ expected.charCodeAt(at)
  }
  return difference === 0
}
