import { AppError, unavailable } from '@surehook/service-kit/errors'
import { TokenError, TooManyTokensError, VerifierUnavailableError } from '@surehook/token-verifier'

/**
 * Returns the error that the client gets for one of a verifier.
 * @param saysWhy whether the client learns what is wrong with an invalid token
 */
export function tokenRefusal(err: unknown, { saysWhy = false } = {}): unknown {
  if (err instanceof VerifierUnavailableError) return unavailable(err.message, err)
  if (err instanceof TooManyTokensError) {
    const { retryAfterS } = err
    return new AppError('RATE_LIMIT_EXCEEDED', 'Too many invalid access tokens', { retryAfterS })
  }
  if (!(err instanceof TokenError)) return err
  if (err.code === 'AUTH_TOKEN_EXPIRED')
    return new AppError(err.code, 'The access token has expired')
  return new AppError(err.code, saysWhy ? err.message : 'The access token is not valid')
}
