import type { LoggedIn, PublicUser, TokenPair } from '../generated/types.gen.ts'
import type { AuthChange } from './changes.ts'

export type Session = {
  /** Made here at the login. */
  id: string
  /** Counts the refreshes. */
  rotation: number
  accessToken: string
  refreshToken: string
  /** The user at the login. */
  user: PublicUser
  /** When the access token was asked for, in milliseconds of this device's clock. */
  since: number
  /** Milliseconds for which the access token is valid; null: it is encrypted, so nobody knows. */
  lifetime: number | null
}

export function startSession(id: string, { user, ...pair }: LoggedIn, since: number): Session {
  const { accessToken, refreshToken } = pair
  const lifetime = lifetimeOf(accessToken)
  return { id, rotation: 0, accessToken, refreshToken, user, since, lifetime }
}

export function rotated(session: Session, pair: TokenPair, since: number): Session {
  const { accessToken, refreshToken } = pair
  const rotation = session.rotation + 1
  return {
    ...session,
    rotation,
    accessToken,
    refreshToken,
    since,
    lifetime: lifetimeOf(accessToken),
  }
}

/** Whether both are the same session, and `a` had more refreshes. */
export const isNewer = (a: Session, b: Pick<Session, 'id' | 'rotation'>): boolean =>
  a.id === b.id && a.rotation > b.rotation

export const isSame = (a: Session | null, b: Session | null): boolean =>
  a?.id === b?.id && a?.rotation === b?.rotation

/** Else what was asked for one user would be done for another one. */
export const isOfSameUser = (a: Session, b: Session): boolean => a.user.id === b.user.id

/** The change between two looks at the session; null: nothing changed. */
export function changeBetween(
  before: Session | null,
  after: Session | null,
): AuthChange['type'] | null {
  if (after === null) return before === null ? null : 'signedOut'
  if (before?.id !== after.id) return 'signedIn'
  return before.rotation === after.rotation ? null : 'refreshed'
}

export type Freshness = 'fresh' | 'due' | 'expired'

/**
 * Compares only times of this device, so that its clock need not be right. If the clock was set
 * back, the token counts as fresh: a 401 tells otherwise.
 */
export function freshness({ since, lifetime }: Session, now: number, ahead: number): Freshness {
  if (lifetime === null) return 'fresh'
  const left = lifetime - (now - since)
  if (left <= 0) return 'expired'
  // A token that lives for seconds would always be due.
  return left <= Math.min(ahead, lifetime / 4) ? 'due' : 'fresh'
}

/** The claims of a signed token say how long it lives. Its instants are those of another clock. */
export function lifetimeOf(accessToken: string): number | null {
  const [, payload, signature, ...rest] = accessToken.split('.')
  if (payload === undefined || signature === undefined || rest.length > 0) return null
  try {
    const { exp, iat } = JSON.parse(atob(payload.replace(/-/g, '+').replace(/_/g, '/')))
    return exp > iat ? (exp - iat) * 1_000 : null
  } catch {
    // Not a token that this version knows: a 401 will tell when it expires.
    return null
  }
}

/** Null: nothing, or what another version or program wrote. */
export function sessionIn(value: Record<string, unknown> | null): Session | null {
  const isSession =
    typeof value?.['id'] === 'string' &&
    typeof value['rotation'] === 'number' &&
    typeof value['refreshToken'] === 'string' &&
    typeof value['accessToken'] === 'string'
  return isSession ? (value as Session) : null
}
