import { createHash, timingSafeEqual } from 'node:crypto'
import { AppError } from '@surehook/service-kit/errors'
import { noCredential } from './no-credential.ts'

/** Throws unless `Authorization` shows the administration's token. */
export type AdminGate = (authorization: string | undefined) => void

const scheme = /^Bearer +(\S+) *$/i

/**
 * Checks `Authorization` against the administration's token, in a time that tells nothing about it.
 * @param expected `tokenDigest` of the token, and of the one that replaces it: who only checks them need not have them.
 *   Without any nobody is admitted
 */
export function adminGate(expected: readonly Buffer[]): AdminGate {
  return (authorization) => {
    if (!authorization) throw noCredential('ADMIN_TOKEN_INVALID', 'administration token')
    const given = scheme.exec(authorization)?.[1]
    if (given !== undefined && isOneOf(expected, given)) return
    throw new AppError('ADMIN_TOKEN_INVALID', 'The administration token is wrong')
  }
}

/** Compares with each of them, whichever fits. */
export function isOneOf(digests: readonly Buffer[], token: string): boolean {
  const given = tokenDigest(token)
  return digests.filter((digest) => timingSafeEqual(given, digest)).length > 0
}

/** Digests are of one length, which the comparison needs and which hides the token's. */
export const tokenDigest = (token: string): Buffer => createHash('sha256').update(token).digest()
