import { Webhook } from 'standardwebhooks'

/** The keys of one secret. */
export type SecretKeys = { readonly standard: Webhook; readonly body: Promise<CryptoKey> }

type CryptoKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>

const prefix = 'whsec_'
/** Base64 with or without padding, of at least one byte: anyone could sign with an empty key. */
const base64 = /^(?=.)(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?$/

/** Throws a `TypeError` if there is no secret, or an empty one. */
export function keysOf(secrets: string | readonly string[]): SecretKeys[] {
  const list = typeof secrets === 'string' ? [secrets] : secrets
  if (list.length === 0) throw new TypeError('secrets is empty: give at least one secret')
  return list.map((secret) => {
    // An environment variable that is not set arrives as undefined from JavaScript.
    if (typeof secret !== 'string' || secret === '') throw new TypeError('A secret is empty')
    return {
      // The library reads other secrets as Latin-1, so it gets bytes.
      standard: new Webhook(standardKey(secret), { format: 'raw' }),
      body: importKey(secret),
    }
  })
}

/**
 * A `whsec_` secret is the base64 of the key. Any other secret, and a malformed one, is the key
 * itself.
 */
function standardKey(secret: string): Uint8Array {
  const encoded = secret.slice(prefix.length)
  if (!secret.startsWith(prefix) || !base64.test(encoded)) return new TextEncoder().encode(secret)
  return Uint8Array.from(atob(encoded), (char) => char.charCodeAt(0))
}

function importKey(secret: string): Promise<CryptoKey> {
  const bytes = new TextEncoder().encode(secret)
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify'])
}
