import type { ErrorCode } from '@surehook/contracts/problem'
import type { Logger } from 'pino'
import type { AuditEvent } from './audit-events.ts'

export type AuditActor = 'user' | 'anonymous' | 'administrator' | 'management_token'

/** An audited action without secrets: ids identify users, tokens and resources. */
export type AuditEntry = {
  event: AuditEvent
  outcome: 'success' | 'failure'
  actor: AuditActor
  /** Error code of the response, if the outcome is a failure. */
  reason?: ErrorCode | undefined
  /** Id of the management token. */
  actorId?: string | undefined
  /** Id of the affected user, if known. */
  userId?: string | undefined
  /**
   * Replaces `userId`: a keyed hash of the e-mail address. Equal addresses of a tenant have equal
   * hashes.
   */
  emailHash?: string | undefined
  sessionId?: string | undefined
  /** The called operation of the API. */
  operation?: string | undefined
  /** Id or name of the affected resource. */
  target?: string | undefined
}

export type AuditPlace = { projectId?: string | undefined; environment?: string | undefined }

/** Writes one line of the audit trail for an action of a request. */
export type Audit = (entry: AuditEntry) => void

export type AuditRequest = {
  /** Logger with the ids of the request and its trace. */
  log: Logger
  clientAddress: string
}

/**
 * Writes one JSON line with `msg: "audit"`. `LOG_LEVEL` does not disable it: an operator who raises
 * the level still needs the trail.
 */
export function createAudit(request: AuditRequest, place: AuditPlace): Audit {
  // Read now: a connection that has ended has no address.
  const client = request.clientAddress
  return ({ event, outcome, ...rest }) => {
    // Created only for an audited action, because a logger per request is expensive.
    const { log } = request
    const isHeard = log.isLevelEnabled('info') || log.level === 'silent'
    const trail = isHeard ? log : log.child({}, { level: 'info' })
    trail.info({ event, outcome, ...place, client, ...rest }, 'audit')
  }
}
