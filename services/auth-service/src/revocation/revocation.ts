import type { StateMessage } from '@surehook/change-capture/emit/state-writer'
import type { SessionRevocation } from '@surehook/contracts/events/session-revocation'
import { revocationsTopic } from '@surehook/contracts/topics'

/** Defines which access tokens of a session are refused before they expire, and until when. */
export type Revocation = {
  readonly sessionId: string
  readonly projectId: string
  readonly environment: string
  /** Tokens whose claim `gen` is lower are refused. */
  readonly minGeneration: number
  readonly expiresAt: Date
}

/** The revocations of a transaction; empty if no access token was valid. */
export type EndedSessions = readonly Revocation[]

export type EndReason =
  | 'logout'
  | 'reuse'
  | 'reset'
  | 'change'
  | 'disabled'
  | 'unverified'
  | 'deleted'
  | 'forced'

/** The columns of `revocation` (as `r`) under the names of `Revocation`. */
export const revocationColumns = `r.session_id as "sessionId", r.project_id as "projectId",
  r.environment, r.min_generation as "minGeneration", r.expires_at as "expiresAt"`

/** The revocation as a message for the verifiers. */
export function revocationMessage(revocation: Revocation): StateMessage {
  const { sessionId, expiresAt } = revocation
  const state: SessionRevocation = { ...revocation, expiresAt: expiresAt.toISOString() }
  return { topic: revocationsTopic, key: sessionId, state }
}
