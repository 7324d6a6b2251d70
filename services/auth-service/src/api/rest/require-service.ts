import { isOneOf, tokenDigest } from '@surehook/access/admin-gate'
import { noCredential } from '@surehook/access/no-credential'
import { AppError } from '@surehook/service-kit/errors'
import { bearerToken } from '@surehook/token-verifier'

/** Throws unless `Authorization` carries a token of the platform's own services. */
export type RequireService = (authorization: string | undefined) => void

export function createRequireService(serviceTokens: readonly string[]): RequireService {
  const digests = serviceTokens.map(tokenDigest)
  return (authorization) => {
    const given = bearerToken(authorization)
    if (given === null) throw noCredential('AUTH_TOKEN_INVALID', 'service token')
    if (isOneOf(digests, given)) return
    throw new AppError('AUTH_TOKEN_INVALID', 'The credential of the service is wrong')
  }
}
