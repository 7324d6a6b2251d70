import { AuthError } from '../errors.ts'

/** Whether an access token, or a refresh token, was refused. */
export function isTokenRefused(err: unknown): err is AuthError {
  return err instanceof AuthError && err.status === 401 && isTokenCode(err.code)
}

export const isTokenCode = (code: string) =>
  code === 'AUTH_TOKEN_EXPIRED' || code === 'AUTH_TOKEN_INVALID'
