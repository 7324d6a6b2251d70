import { type CryptoKey, compactVerify, errors } from 'jose'
import { type AccessClaims, type ExpectedClaims, readClaims } from '../claims/claims.ts'
import { isKid, type VerifyKeys } from '../keys/key-set.ts'
import { invalidToken } from '../token-error.ts'
import { type ProtectedHeader, tokenForm, tokenPayload } from '../token-form.ts'

/** Verifies a signed access token (RFC 9068) with the given keys only, and returns its claims. */
export async function verifyAccessJws(
  token: string,
  keys: VerifyKeys,
  expected: ExpectedClaims,
): Promise<AccessClaims> {
  const { kind, header } = tokenForm(token)
  if (kind !== 'jws') throw invalidToken('not signed')
  const key = await keys.keyOf(accessKid(header))
  if (key === null) throw invalidToken('unknown key')
  await requireSignature(token, key, 'RS256')
  return readClaims(tokenPayload(token), expected)
}

/** Returns the id of the key that must have signed the access token. */
export function accessKid({ alg, typ, kid }: ProtectedHeader): string {
  if (alg !== 'RS256') throw invalidToken('algorithm')
  if (typ !== 'at+jwt') throw invalidToken('type')
  if (typeof kid !== 'string' || !isKid(kid)) throw invalidToken('no kid')
  return kid
}

/** Throws unless this key signed the token with this algorithm. */
export async function requireSignature(token: string, key: CryptoKey, alg: string): Promise<void> {
  try {
    await compactVerify(token, key, { algorithms: [alg] })
  } catch (err) {
    // Covers jose's own errors, and the TypeError for a key that is too short.
    if (err instanceof TypeError || err instanceof errors.JOSEError) {
      throw invalidToken('signature', err)
    }
    throw err
  }
}
