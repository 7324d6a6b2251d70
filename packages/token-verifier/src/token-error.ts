export type TokenErrorCode = 'AUTH_TOKEN_INVALID' | 'AUTH_TOKEN_EXPIRED'

/**
 * The token is not valid. The message explains why for the log. Send only the code to the caller.
 */
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

/** The client has sent too many invalid encrypted tokens. This unknown token was not checked. */
export class TooManyTokensError extends Error {
  override readonly name = 'TooManyTokensError'
  /** Whole seconds until the client's unknown tokens are checked again. */
  readonly retryAfterS: number

  constructor(retryAfterS: number) {
    super('Too many tokens of this client were not good')
    this.retryAfterS = Math.max(1, retryAfterS)
  }
}

/** The token cannot be checked now: keys, introspection or revocations are unavailable. */
export class VerifierUnavailableError extends Error {
  override readonly name = 'VerifierUnavailableError'
}
