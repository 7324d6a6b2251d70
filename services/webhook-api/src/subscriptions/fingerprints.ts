import type { Fingerprints } from '@surehook/contracts/http/webhooks/fingerprints'
import { openHeaders } from '@surehook/matching/own-headers'
import { secretFingerprint } from '@surehook/matching/secret-fingerprint'
import type { SecretBox } from '@surehook/service-kit/crypto/secret-box'
import type { SubscriptionRow } from './store/subscription-row.ts'

type Box = Pick<SecretBox, 'open'>

/** Short values, and values under a lost key, have no fingerprint. */
export function fingerprintsOf(box: Box, { id, secrets, policy }: SubscriptionRow): Fingerprints {
  const sealed = secrets.find(({ validUntil }) => validUntil === null)
  const secret = sealed && opened(() => box.open(sealed.ciphertext, id))
  const ciphertext = policy?.headers?.ciphertext
  const headers = ciphertext && opened(() => openHeaders(box, id, ciphertext))
  const ofSecret = secret && secretFingerprint(id, secret)
  const entries = Object.entries(headers || {}).flatMap(([name, value]) => {
    const ofHeader = secretFingerprint(id, value)
    return ofHeader === undefined ? [] : [[name, ofHeader] as const]
  })
  return {
    ...(ofSecret !== undefined && { secret: ofSecret }),
    headers: Object.fromEntries(entries),
  }
}

function opened<T>(open: () => T): T | undefined {
  try {
    return open()
  } catch {
    // Its key was removed. `warnings` says so.
    return undefined
  }
}
