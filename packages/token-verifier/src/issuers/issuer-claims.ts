import { requireUnexpired } from '../claims/claims.ts'
import { invalidToken } from '../token-error.ts'
import type { ProtectedHeader } from '../token-form.ts'

/** What a verified token of another issuer says of its user. */
export type IssuerClaims = {
  iss: string
  /** Id of the user. */
  sub: string
  roles: readonly string[]
  /** `null` unless the issuer has verified the address. */
  email: string | null
  exp: number
}

export type ExpectedIssuer = {
  issuer: string
  /** The token must be for one of them. */
  audience: readonly string[]
  /** The claim with the roles. See `claimAt`. */
  rolesClaim: string
  /** The claim with the id of the user. */
  userIdClaim: string
}

type Payload = Readonly<Record<string, unknown>>

const clockToleranceS = 10
const maxUserIdLength = 255

/** Claims that only ID tokens and logout tokens have. */
const claimsOfOthers = ['at_hash', 'c_hash', 'events']

/** One slash at the end does not count: people often leave it out, and some issuers have it. */
export const sameIssuer = (one: string, other: string): boolean => bare(one) === bare(other)
const bare = (issuer: string) => (issuer.endsWith('/') ? issuer.slice(0, -1) : issuer)

/** Throws for a token whose header says that it is no access token. */
export function requireAccessType({ typ }: ProtectedHeader): void {
  const type = typeof typ === 'string' ? typ.toLowerCase().replace(/^application\//, '') : typ
  if (type !== undefined && type !== 'jwt' && type !== 'at+jwt') throw invalidToken('type')
}

/** Checks the claims and returns what they say of the user. Throws a `TokenError`. */
export function readIssuerClaims(
  payload: unknown,
  { issuer, audience, rolesClaim, userIdClaim }: ExpectedIssuer,
  nowMs: number,
): IssuerClaims {
  if (!isPayload(payload)) throw invalidToken('claims')
  const { iss, exp, email, email_verified: isVerified } = payload
  if (typeof iss !== 'string' || !sameIssuer(iss, issuer)) throw invalidToken('issuer')
  if (!audiencesOf(payload).some((one) => audience.includes(one as string)))
    throw invalidToken('audience')
  if (claimsOfOthers.some((claim) => Object.hasOwn(payload, claim))) throw invalidToken('type')
  // Keycloak names the kind of a token here.
  if (['ID', 'Refresh', 'Offline', 'Logout'].includes(payload['typ'] as string)) {
    throw invalidToken('type')
  }
  if (!Number.isFinite(exp)) throw invalidToken('no expiry')
  requireStarted(payload, nowMs)
  requireUnexpired({ exp: exp as number }, nowMs)
  const sub = claimAt(payload, userIdClaim)
  if (!isUserId(sub)) throw invalidToken('user id')
  return Object.freeze({
    iss,
    sub,
    roles: Object.freeze(rolesIn(claimAt(payload, rolesClaim))),
    email: typeof email === 'string' && isVerified === true ? email : null,
    exp: exp as number,
  })
}

const isPayload = (payload: unknown): payload is Payload =>
  typeof payload === 'object' && payload !== null && !Array.isArray(payload)

/** RFC 7519 §4.1.3: a text, or a list of texts. */
function audiencesOf({ aud }: Payload): unknown[] {
  return Array.isArray(aud) ? aud : [aud]
}

function requireStarted({ nbf, iat }: Payload, nowMs: number): void {
  const soonS = nowMs / 1_000 + clockToleranceS
  for (const time of [nbf, iat]) {
    if (time === undefined) continue
    if (typeof time !== 'number' || !(time <= soonS)) throw invalidToken('not valid yet')
  }
}

/**
 * Returns the claim of exactly this name. Without one, dots lead into objects: `realm_access.roles`.
 * Names of claims may be URLs, which have dots.
 */
export function claimAt(payload: Payload, name: string): unknown {
  if (Object.hasOwn(payload, name)) return payload[name]
  return name
    .split('.')
    .reduce<unknown>(
      (value, part) => (isPayload(value) && Object.hasOwn(value, part) ? value[part] : undefined),
      payload,
    )
}

/** A list of texts, or a text with spaces between the roles. Anything else holds no role. */
function rolesIn(claim: unknown): string[] {
  const roles: unknown[] = typeof claim === 'string' ? claim.split(' ') : asList(claim)
  return [...new Set(roles)].filter((role) => typeof role === 'string' && role !== '') as string[]
}

const asList = (claim: unknown): unknown[] => (Array.isArray(claim) ? claim : [])

// oxlint-disable-next-line no-control-regex -- control characters are the point
const controlCharacter = /[\u0000-\u001f\u007f-\u009f]/

const isUserId = (id: unknown): id is string =>
  typeof id === 'string' &&
  id !== '' &&
  id.length <= maxUserIdLength &&
  id.isWellFormed() &&
  !controlCharacter.test(id)
