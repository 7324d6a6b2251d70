/** What an access token says, once it is verified. */
export type AccessClaims = {
  iss: string
  aud: string
  /** The user's id. */
  sub: string
  /** The session's id. */
  sid: string
  /** Generation of the session's tokens: a revocation refuses all below one. */
  gen: number
  jti: string
  roles: string[]
  iat: number
  nbf: number
  exp: number
}
