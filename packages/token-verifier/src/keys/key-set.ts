import { type CryptoKey, importJWK, type JWK } from 'jose'

/** `material`: the members that the key was made from. */
export type KnownKey = { readonly material: string; readonly key: CryptoKey }
export type KeySet = ReadonlyMap<string, KnownKey>

export type VerifyKeys = {
  /** Resolves with the RS256 public key of this key id, or with `null` if there is none. */
  keyOf(kid: string): Promise<CryptoKey | null>
}

const maxKeys = 100
/** Longer key ids are refused without a request to the issuer and are not cached. */
export const maxKidLength = 256
export const minModulusBits = 2_048

/**
 * Reads the RS256 verification keys of a JWK set. It skips other types and uses, and incomplete or
 * short keys (RFC 7517 §5). An id that two different keys share is skipped as well. Unchanged keys
 * of `known` keep their objects.
 */
export async function readKeySet(set: unknown, known: KeySet): Promise<KeySet> {
  // Imports only the public members, even if the set contains private ones.
  const named = entriesOf(set)
    .filter(isVerifying)
    .map(({ kid, n, e }) => ({ id: kid, jwk: { kty: 'RSA', n, e }, alg: 'RS256' }))
  return importKeys(named, known)
}

export function entriesOf(set: unknown): readonly unknown[] {
  const entries = (set as { keys?: unknown } | null)?.keys
  if (!Array.isArray(entries)) throw new Error('The key set has no keys')
  if (entries.length > maxKeys) throw new Error(`The key set has more than ${maxKeys} keys`)
  return entries
}

export type NamedKey = { id: string; jwk: JWK; alg: string }

/** Skips an id that two different keys share. Unchanged keys of `known` keep their objects. */
export async function importKeys(named: readonly NamedKey[], known: KeySet): Promise<KeySet> {
  const keys = new Map<string, KnownKey>()
  const ambiguous = new Set<string>()
  for (const { id, jwk, alg } of named) {
    const material = JSON.stringify(jwk)
    if (keys.has(id) && keys.get(id)?.material !== material) ambiguous.add(id)
    const earlier = known.get(id)
    const key = earlier?.material === material ? earlier.key : await importedKey(jwk, alg)
    if (key !== null) keys.set(id, { material, key })
  }
  for (const id of ambiguous) keys.delete(id)
  return keys
}

/** Returns `null` for values that are no key, such as a point that is not on its curve. */
async function importedKey(jwk: JWK, alg: string): Promise<CryptoKey | null> {
  try {
    return (await importJWK(jwk, alg)) as CryptoKey
  } catch (err) {
    if (err instanceof DOMException || err instanceof TypeError) return null
    throw err
  }
}

type VerifyingJwk = { kid: string; n: string; e: string }

function isVerifying(entry: unknown): entry is VerifyingJwk {
  if (typeof entry !== 'object' || entry === null) return false
  const { kty, use, alg, kid, n, e } = entry as Readonly<Record<string, unknown>>
  return (
    kty === 'RSA' &&
    use === 'sig' &&
    alg === 'RS256' &&
    typeof kid === 'string' &&
    isKid(kid) &&
    isNumber(n) &&
    isNumber(e) &&
    bitsOf(n) >= minModulusBits
  )
}

export const isKid = (kid: string): boolean => kid !== '' && kid.length <= maxKidLength

export const isNumber = (text: unknown): text is string =>
  typeof text === 'string' && /^[A-Za-z0-9_-]{1,2048}$/.test(text)

export const bitsOf = (text: string): number => Buffer.from(text, 'base64url').length * 8
