/** Topic `auth.revocations`; key: session id. The latest record of a session applies. */
export type SessionRevocation = {
  sessionId: string
  projectId: string
  environment: string
  /** Access tokens with a lower `gen` claim are refused. `wholeSession` refuses all of them. */
  minGeneration: number
  /** ISO 8601 time at which the last refused token has expired. */
  expiresAt: string
}

/** The `minGeneration` that refuses every access token of the session. */
export const wholeSession = 2_147_483_647
