import type { SealedSecret } from '@surehook/contracts/events'
import type { SecretBox } from '@surehook/service-kit/crypto/secret-box'

export const defaultOverlapS = 24 * 3600

/** A receiver sees one signature per secret: rotating in a hurry must not grow the header for ever. */
const maxSecrets = 5

export type Rotation = {
  subscriptionId: string
  secrets: readonly SealedSecret[]
  secret: string
  overlapS: number
  now: Date
}

/**
 * The new secret first, then those that still sign. No replaced secret outlives the overlap asked
 * for last, so that an overlap of 0 leaves the new secret alone.
 */
export function rotateSecret(box: SecretBox, rotation: Rotation): SealedSecret[] {
  const { subscriptionId, secrets, secret, overlapS, now } = rotation
  const overlapEnd = new Date(now.getTime() + overlapS * 1000).toISOString()
  const replaced = secrets
    .filter(({ ciphertext }) => {
      const replacedSecret = opened(box, ciphertext, subscriptionId)
      return replacedSecret !== null && replacedSecret !== secret
    })
    .map(({ ciphertext, validUntil }) => ({
      ciphertext,
      validUntil: earlier(validUntil, overlapEnd),
    }))
    .filter(({ validUntil }) => Date.parse(validUntil) > now.getTime())
  const current = { ciphertext: box.seal(secret, subscriptionId), validUntil: null }
  return [current, ...replaced].slice(0, maxSecrets)
}

/** `null` for one sealed under a lost key: it signs nothing any more, and must not block a new one. */
function opened(box: SecretBox, ciphertext: string, subscriptionId: string): string | null {
  try {
    return box.open(ciphertext, subscriptionId)
  } catch {
    return null
  }
}

function earlier(validUntil: string | null, overlapEnd: string): string {
  if (validUntil === null) return overlapEnd
  return Date.parse(validUntil) < Date.parse(overlapEnd) ? validUntil : overlapEnd
}
