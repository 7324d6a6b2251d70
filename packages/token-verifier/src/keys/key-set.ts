import { type CryptoKey, importJWK } from 'jose'

export type KnownKey = { readonly n: string; readonly e: string; readonly key: CryptoKey }
export type KeySet = ReadonlyMap<string, KnownKey>

export type VerifyKeys = {
  /** Resolves with the RS256 public key of this key id, or with `null` if there is none. */
  keyOf(kid: string): Promise<CryptoKey | null>
}

const maxKeys = 100
/** Longer key ids are refused without a request to the issuer and are not cached. */
export const maxKidLength = 256
const minModulusBits = 2_048

/**
 * Reads the RS256 verification keys of a JWK set. It skips other types and uses, and incomplete or
 * short keys (RFC 7517 §5). An id that two different keys share is skipped as well. Unchanged keys
 * of `known` keep their objects.
 */
export async function readKeySet(set: unknown, known: KeySet): Promise<KeySet> {
  const entries = (set as { keys?: unknown } | null)?.keys
  if (!Array.isArray(entries)) throw new Error('The key set has no keys')
  if (entries.length > maxKeys) throw new Error(`The key set has more than ${maxKeys} keys`)
  const keys = new Map<string, KnownKey>()
  const ambiguous = new Set<string>()
  for (const { kid, n, e } of entries.filter(isVerifying)) {
    const same = (key: KnownKey | undefined) => key?.n === n && key.e === e
    if (keys.has(kid) && !same(keys.get(kid))) ambiguous.add(kid)
    const earlier = known.get(kid)
    // Imports only the public members, even if the set contains private ones.
    const key = same(earlier) ? earlier?.key : await importJWK({ kty: 'RSA', n, e }, 'RS256')
    keys.set(kid, { n, e, key: key as CryptoKey })
  }
  for (const kid of ambiguous) keys.delete(kid)
  return keys
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

const isNumber = (text: unknown): text is string =>
  typeof text === 'string' && /^[A-Za-z0-9_-]{1,2048}$/.test(text)

const bitsOf = (text: string): number => Buffer.from(text, 'base64url').length * 8
