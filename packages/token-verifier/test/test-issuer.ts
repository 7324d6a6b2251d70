import { CompactEncrypt, type CryptoKey, exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose'
import type { AccessClaims } from '../src/claims/claims.ts'
import { createTokenVerifier, type TokenVerifierOptions } from '../src/token-verifier.ts'

export const issuerUrl = 'https://api.example/auth/shop/master'
export const audience = 'shop/master'
export const invalid = { code: 'AUTH_TOKEN_INVALID' }
export const expired = { code: 'AUTH_TOKEN_EXPIRED' }
export const unavailable = { name: 'VerifierUnavailableError' }

export type Pair = { privateKey: CryptoKey; jwk: JWK & { kid: string } }
type Change = Partial<Record<keyof AccessClaims, unknown>>

export async function newPair(kid: string): Promise<Pair> {
  const { publicKey, privateKey } = await generateKeyPair('RS256')
  return { privateKey, jwk: { ...(await exportJWK(publicKey)), kid, use: 'sig', alg: 'RS256' } }
}

/** A fake issuer whose state and clock a test can change. */
export class TestIssuer {
  readonly pair: Pair
  keys: unknown
  nowMs = Date.now()
  asked = 0
  /** Answers the next key requests. Default: the keys. */
  answer: () => Promise<Response> = async () => Response.json({ keys: this.keys })

  constructor(pair: Pair) {
    this.pair = pair
    this.keys = [pair.jwk]
  }

  readonly fetch: typeof fetch = () => {
    this.asked += 1
    return this.answer()
  }

  verifier(options: Partial<TokenVerifierOptions> = {}) {
    return createTokenVerifier({
      jwksUrl: `${issuerUrl}/jwks`,
      issuer: issuerUrl,
      audience,
      isRevoked: () => false,
      fetch: this.fetch,
      now: () => this.nowMs,
      cooldownMs: 10_000,
      ...options,
    })
  }

  claims(change: Change = {}) {
    const now = Math.floor(this.nowMs / 1_000)
    const always = { sub: 'user', sid: 'session', gen: 1, jti: 'jti', roles: ['reader'] }
    const times = { iat: now, nbf: now, exp: now + 900 }
    return { iss: issuerUrl, aud: audience, ...always, ...times, ...change }
  }

  token(change: Change = {}, { privateKey, jwk } = this.pair, header: object = {}) {
    return new SignJWT(this.claims(change) as never)
      .setProtectedHeader({ alg: 'RS256', typ: 'at+jwt', kid: jwk.kid, ...header })
      .sign(privateKey)
  }
}

/** Creates a token that is encrypted in the form of our issuer. */
export async function encryptedToken(header: object = {}): Promise<string> {
  const { publicKey } = await generateKeyPair('RSA-OAEP-256')
  return new CompactEncrypt(Buffer.from('for the issuer alone'))
    .setProtectedHeader({ alg: 'RSA-OAEP-256', enc: 'A256GCM', cty: 'JWT', kid: 'enc', ...header })
    .encrypt(publicKey)
}
