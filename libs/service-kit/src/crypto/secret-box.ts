import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

export type SecretBox = {
  /** `context` names the owner of the secret. It is not stored, but `open` needs the same one. */
  seal(plaintext: string, context: string): string
  /** Throws when the text was changed, or sealed with another key or context. */
  open(sealed: string, context: string): string
}

/**
 * Encrypts with AES-256-GCM to `v1.<iv>.<ciphertext>.<tag>`, each part in base64url. The `previous`
 * keys only decrypt. The text names no key: `open` tries all keys, and authentication reveals the
 * right one.
 */
export function createSecretBox(key: Buffer, ...previous: readonly Buffer[]): SecretBox {
  const keys = [key, ...previous]
  if (keys.some(({ length }) => length !== 32)) {
    throw new Error('A secret box needs a key of 32 bytes')
  }
  return {
    seal(plaintext, context) {
      const iv = randomBytes(12)
      const cipher = createCipheriv('aes-256-gcm', key, iv)
      cipher.setAAD(Buffer.from(context))
      const ciphertext = Buffer.concat([cipher.update(plaintext, 'utf8'), cipher.final()])
      const parts = [iv, ciphertext, cipher.getAuthTag()]
      return ['v1', ...parts.map((part) => part.toString('base64url'))].join('.')
    },
    open(sealed, context) {
      for (const older of previous.length === 0 ? [] : keys) {
        try {
          return openWith(older, sealed, context)
        } catch {
          // The last attempt throws the error.
        }
      }
      return openWith(previous.at(-1) ?? key, sealed, context)
    },
  }
}

function openWith(key: Buffer, sealed: string, context: string): string {
  const [version, iv, ciphertext, tag, ...rest] = sealed.split('.')
  const complete = iv !== undefined && ciphertext !== undefined && tag !== undefined
  if (version !== 'v1' || !complete || rest.length > 0) throw new Error('Not a sealed secret')
  const decipher = createDecipheriv('aes-256-gcm', key, Buffer.from(iv, 'base64url'), {
    authTagLength: 16,
  })
  decipher.setAAD(Buffer.from(context))
  decipher.setAuthTag(Buffer.from(tag, 'base64url'))
  const opened = [decipher.update(Buffer.from(ciphertext, 'base64url')), decipher.final()]
  return Buffer.concat(opened).toString('utf8')
}
