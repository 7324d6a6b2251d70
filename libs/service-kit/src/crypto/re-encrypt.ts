import type { EncryptionKeys } from '../config/config.ts'
import { createSecretBox, type SecretBox } from './secret-box.ts'

export type ReEncrypting = 'current' | 'unreadable' | { sealed: string }

/** Re-encrypts a secret under the current key if a previous key encrypted it. */
export type ReEncryption = (sealed: string, context: string) => ReEncrypting

export function createReEncryption(keys: EncryptionKeys): ReEncryption {
  const current = createSecretBox(keys[0])
  const all = createSecretBox(...keys)
  return (sealed, context) => {
    if (opened(current, sealed, context) !== null) return 'current'
    const plaintext = opened(all, sealed, context)
    return plaintext === null ? 'unreadable' : { sealed: current.seal(plaintext, context) }
  }
}

function opened(box: SecretBox, sealed: string, context: string): string | null {
  try {
    return box.open(sealed, context)
  } catch {
    return null
  }
}
