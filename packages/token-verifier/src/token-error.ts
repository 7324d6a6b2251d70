export type TokenErrorCode = 'AUTH_TOKEN_INVALID' | 'AUTH_TOKEN_EXPIRED'

/** The token is not good. The message says why to a log; a caller receives the code alone. */
export class TokenError extends Error {
  override readonly name = 'TokenError'
  readonly code: TokenErrorCode

  constructor(code: TokenErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

export const invalidToken = (why: string, cause?: unknown): TokenError =>
  new TokenError('AUTH_TOKEN_INVALID', `The token is not valid: ${why}`, { cause })

/**
 * The client has shown too many encrypted tokens that were not good: nothing is spent on this one, which is not known.
 */
export class TooManyTokensError extends Error {
  override readonly name = 'TooManyTokensError'
  /** Whole seconds until its tokens are looked at again. */
  readonly retryAfterS: number

  constructor(retryAfterS: number) {
    super('Too many tokens of this client were not good')
    this.retryAfterS = Math.max(1, retryAfterS)
  }
}

/** Whether the token is good cannot be known now: keys, introspection or revocations are away. */
export class VerifierUnavailableError extends Error {
  override readonly name = 'VerifierUnavailableError'
}
