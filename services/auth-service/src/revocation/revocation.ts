/** Which access tokens of a session are refused before they expire, and until when that matters. */
export type Revocation = {
  readonly sessionId: string
  readonly projectId: string
  readonly environment: string
  /** Tokens whose claim `gen` is lower are refused. */
  readonly minGeneration: number
  readonly expiresAt: Date
}

/** What a transaction revoked; empty when no access token was alive. */
export type EndedSessions = readonly Revocation[]

export type EndReason = 'logout' | 'reuse' | 'reset' | 'disabled' | 'deleted' | 'forced'
