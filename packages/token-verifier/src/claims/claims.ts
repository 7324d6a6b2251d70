import { invalidToken, TokenError } from '../token-error.ts'

/** The claims of a verified access token. */
export type AccessClaims = {
  iss: string
  aud: string
  /** Id of the user. */
  sub: string
  /** Id of the session. */
  sid: string
  /** Generation of the session's tokens. A revocation refuses all lower generations. */
  gen: number
  jti: string
  roles: readonly string[]
  iat: number
  nbf: number
  exp: number
}

export type ExpectedClaims = { issuer: string; audience: string; nowMs: number }

/**
 * Seconds by which `nbf` and `iat` may be in the future, because clocks differ. `exp` has no
 * tolerance.
 */
const clockToleranceS = 10

/**
 * Checks and returns the claims of a payload whose signature is valid: issuer, audience and times.
 * Throws AUTH_TOKEN_EXPIRED if expiry is the only fault, otherwise AUTH_TOKEN_INVALID.
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
  // Frozen, because later requests with the same token share the claims.
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
