import type { JWK } from 'jose'
import {
  bitsOf,
  entriesOf,
  importKeys,
  isKid,
  isNumber,
  type KeySet,
  minModulusBits,
  type NamedKey,
} from '../keys/key-set.ts'
import { invalidToken } from '../token-error.ts'
import type { ProtectedHeader } from '../token-form.ts'

const rsaAlgorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512']
/** A check with a longer key takes several milliseconds. */
const maxModulusBits = 8_192
const curveAlgorithms: Readonly<Record<string, string>> = {
  'P-256': 'ES256',
  'P-384': 'ES384',
  'P-521': 'ES512',
}
const ed25519 = 'Ed25519'
/** RFC 9864 names the algorithm by its curve. Most issuers still use the name of RFC 8037. */
const edwards = 'EdDSA'

const algorithms = new Set([...rsaAlgorithms, ...Object.values(curveAlgorithms), edwards, ed25519])

export type SigningKey = { alg: string; keyId: string }

/**
 * Returns the algorithm of a token, and the id of the key that must have signed it. The algorithm
 * is part of the id, so that a key is used for no algorithm but its own (RFC 8725 §3.1).
 */
export function signingKeyOf({ alg, kid }: ProtectedHeader): SigningKey {
  // `none`, and the HMACs that a public key would be the secret of, are not in the list.
  if (typeof alg !== 'string' || !algorithms.has(alg)) throw invalidToken('algorithm')
  if (typeof kid !== 'string' || !isKid(kid)) throw invalidToken('no kid')
  return { alg, keyId: keyIdOf(alg, kid) }
}

const keyIdOf = (alg: string, kid: string) => `${alg === ed25519 ? edwards : alg} ${kid}`

/**
 * Reads the keys of a JWK set that verify signatures with an asymmetric algorithm. A key without
 * `alg` serves each algorithm of its type. It skips other keys, and RSA keys that are too short or
 * too long.
 */
export function readIssuerKeys(set: unknown, known: KeySet): Promise<KeySet> {
  return importKeys(entriesOf(set).flatMap(namedKeys), known)
}

function namedKeys(entry: unknown): NamedKey[] {
  if (typeof entry !== 'object' || entry === null) return []
  const { kid, use, alg: own } = entry as Members
  if (typeof kid !== 'string' || !isKid(kid)) return []
  if (use !== undefined && use !== 'sig') return []
  const read = publicKeyOf(entry as Members)
  if (read === null) return []
  const { jwk, fits } = read
  return fits
    .filter((alg) => own === undefined || own === alg || (alg === edwards && own === ed25519))
    .map((alg) => ({ id: keyIdOf(alg, kid), jwk, alg }))
}

type Members = Readonly<Record<string, unknown>>
type PublicKey = { jwk: JWK; fits: readonly string[] }

/** Returns only the public members, even if the set contains private ones. */
function publicKeyOf(members: Members): PublicKey | null {
  const { kty } = members
  return kty === 'RSA' ? rsaKeyOf(members) : curveKeyOf(members)
}

function rsaKeyOf({ n, e }: Members): PublicKey | null {
  if (!isNumber(n) || !isNumber(e)) return null
  const bits = bitsOf(n)
  if (bits < minModulusBits || bits > maxModulusBits || bitsOf(e) > 64) return null
  return { jwk: { kty: 'RSA', n, e }, fits: rsaAlgorithms }
}

function curveKeyOf({ kty, crv, x, y }: Members): PublicKey | null {
  if (typeof crv !== 'string' || !isNumber(x)) return null
  if (kty === 'OKP' && crv === ed25519) return { jwk: { kty, crv, x }, fits: [edwards] }
  const alg = curveAlgorithms[crv]
  if (kty !== 'EC' || alg === undefined || !isNumber(y)) return null
  return { jwk: { kty, crv, x, y }, fits: [alg] }
}
