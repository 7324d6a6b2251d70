import { type CryptoKey, importJWK } from 'jose'

export type KnownKey = { readonly n: string; readonly e: string; readonly key: CryptoKey }
export type KeySet = ReadonlyMap<string, KnownKey>

const maxKeys = 100
/** Longer names are nobody's: they cost no question to the issuer and are not kept. */
export const maxKidLength = 256
const minModulusBits = 2_048

/**
 * The keys of a JWK set that verify RS256. Others are passed over, as RFC 7517 (5) has it: of other types or uses,
 * incomplete, too short. A name that two different keys share is nobody's. Keys of `known` stay the same objects.
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
    // Only the public members, whatever else the set has.
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
