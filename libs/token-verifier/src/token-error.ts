export type TokenErrorCode = 'AUTH_TOKEN_INVALID' | 'AUTH_TOKEN_EXPIRED'

/** The token is not good. The message says why to a log; a caller is told the code alone. */
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

/** Whether the token is good cannot be known now: keys, introspection or revocations are away. */
export class VerifierUnavailableError extends Error {
  override readonly name = 'VerifierUnavailableError'
}
