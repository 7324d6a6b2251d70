import type { SealedSecret } from '@surehook/contracts/events'
import type { SecretBox } from '@surehook/service-kit/crypto/secret-box'

export const defaultOverlapS = 24 * 3600

/**
 * Receivers get one signature per secret, so repeated rotations must not grow the header without
 * bound.
 */
const maxSecrets = 5

export type Rotation = {
  subscriptionId: string
  secrets: readonly SealedSecret[]
  secret: string
  overlapS: number
  now: Date
}

/**
 * Returns the new secret first, as it is stored if it is the current one, and then those that
 * still sign. No replaced secret outlives the
 * latest requested overlap, so an overlap of 0 leaves only the new secret.
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
  const known = secrets.find(
    ({ ciphertext, validUntil }) =>
      validUntil === null && opened(box, ciphertext, subscriptionId) === secret,
  )
  const current = known ?? { ciphertext: box.seal(secret, subscriptionId), validUntil: null }
  return [current, ...replaced].slice(0, maxSecrets)
}

/**
 * Returns when the last replaced secret stops signing (ISO 8601).
 * @param now epoch milliseconds
 * @returns `null` if only the current secret signs
 */
export function replacedUntil(secrets: readonly SealedSecret[], now: number): string | null {
  const ends = secrets.flatMap(({ validUntil }) =>
    validUntil === null ? [] : Date.parse(validUntil),
  )
  const last = Math.max(now, ...ends)
  return last > now ? new Date(last).toISOString() : null
}

/**
 * Returns `null` for a secret under a lost key. It signs nothing any more, and must not prevent a
 * new one.
 */
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
