import { createHash, timingSafeEqual } from 'node:crypto'
import { AppError } from '@surehook/service-kit/errors'
import { noCredential } from './no-credential.ts'
import { admitsSession, type ShownRequest, verifierOfDigests } from './operator-session.ts'

/** Throws unless `Authorization` carries the administration token, or a session of it that reads. */
export type AdminGate = (req: ShownRequest) => void

const scheme = /^Bearer +(\S+) *$/i

/**
 * Compares in constant time.
 * @param expected `tokenDigest` of the token and, during a rotation, of its successor. A service
 *   that only checks tokens needs no plain token. An empty list admits nobody.
 */
export function adminGate(expected: readonly Buffer[]): AdminGate {
  const sessions = verifierOfDigests(expected)
  return (req) => {
    if (!admitsSession(sessions, req)) assertAdministrator(expected, req.headers.authorization)
  }
}

/** Throws unless the credential is the administration token itself. */
export function assertAdministrator(
  expected: readonly Buffer[],
  authorization: string | undefined,
): void {
  if (!authorization) throw noCredential('ADMIN_TOKEN_INVALID', 'administration token')
  const given = scheme.exec(authorization)?.[1]
  if (given !== undefined && isOneOf(expected, given)) return
  throw new AppError('ADMIN_TOKEN_INVALID', 'The administration token is wrong')
}

/** Compares with every digest, so that the duration does not depend on the match. */
export function isOneOf(digests: readonly Buffer[], token: string): boolean {
  const given = tokenDigest(token)
  return digests.filter((digest) => timingSafeEqual(given, digest)).length > 0
}

/**
 * `timingSafeEqual` needs equal lengths. Hashing provides them and hides the length of the token.
 */
export const tokenDigest = (token: string): Buffer => createHash('sha256').update(token).digest()
