import { invalidToken, TokenError } from '../token-error.ts'

/** What an access token says, once it is verified. */
export type AccessClaims = {
  iss: string
  aud: string
  /** The user's id. */
  sub: string
  /** The session's id. */
  sid: string
  /** Generation of the session's tokens: a revocation refuses all below one. */
  gen: number
  jti: string
  roles: readonly string[]
  iat: number
  nbf: number
  exp: number
}

export type ExpectedClaims = { issuer: string; audience: string; nowMs: number }

/** For clocks that differ between the issuer's machines and ours; `exp` has none. */
const clockToleranceS = 10

/**
 * The claims of a payload whose signature holds: of this issuer, for this audience, valid now. What is not so
 * is AUTH_TOKEN_INVALID; only what is otherwise faultless is AUTH_TOKEN_EXPIRED.
 */
export function readClaims(payload: unknown, expected: ExpectedClaims): AccessClaims {
  const { issuer, audience, nowMs } = expected
  if (!isAccessClaims(payload)) throw invalidToken('claims')
  if (payload.iss !== issuer) throw invalidToken('issuer')
  if (payload.aud !== audience) throw invalidToken('audience')
  const soonS = nowMs / 1_000 + clockToleranceS
  if (payload.nbf > soonS || payload.iat > soonS) throw invalidToken('not valid yet')
  requireUnexpired(payload, nowMs)
  const { iss, aud, sub, sid, gen, jti, iat, nbf, exp } = payload
  // They are kept for further requests: what one of them changed would count for the next.
  const roles = Object.freeze([...payload.roles])
  return Object.freeze({ iss, aud, sub, sid, gen, jti, roles, iat, nbf, exp })
}

export function requireUnexpired({ exp }: Pick<AccessClaims, 'exp'>, nowMs: number): void {
  if (exp * 1_000 <= nowMs) throw new TokenError('AUTH_TOKEN_EXPIRED', 'The token has expired')
}

function isAccessClaims(payload: unknown): payload is AccessClaims {
  if (typeof payload !== 'object' || payload === null) return false
  const claims = payload as Partial<Record<keyof AccessClaims, unknown>>
  const texts = [claims.iss, claims.aud, claims.sub, claims.sid, claims.jti]
  const numbers = [claims.iat, claims.nbf, claims.exp, claims.gen]
  return (
    texts.every((text) => typeof text === 'string' && text !== '') &&
    numbers.every((number) => Number.isFinite(number)) &&
    Array.isArray(claims.roles) &&
    claims.roles.every((role) => typeof role === 'string')
  )
}
