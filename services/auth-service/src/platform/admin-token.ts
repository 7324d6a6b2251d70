import { createHash, timingSafeEqual } from 'node:crypto'
import { AppError } from '@surehook/service-kit/errors'

const scheme = /^Bearer +(\S+) *$/i

/** Checks `Authorization` against the administration's token, in a time that tells nothing about it. */
export function adminGate(adminToken: string): (authorization: string | undefined) => void {
  const expected = digest(adminToken)
  return (authorization) => {
    const given = scheme.exec(authorization ?? '')?.[1]
    if (given !== undefined && timingSafeEqual(digest(given), expected)) return
    throw new AppError('ADMIN_TOKEN_INVALID', 'The administration token is missing or wrong')
  }
}

// Digests are of one length, which the comparison needs and which hides the token's.
const digest = (token: string) => createHash('sha256').update(token).digest()
