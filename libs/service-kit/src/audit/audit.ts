import type { ErrorCode } from '@surehook/contracts/problem'
import type { Logger } from 'pino'
import type { AuditEvent } from './audit-events.ts'

export type AuditActor = 'user' | 'anonymous' | 'administrator' | 'management_token'

/** What happened, without secrets: ids stand for users, tokens and things. */
export type AuditEntry = {
  event: AuditEvent
  outcome: 'success' | 'failure'
  actor: AuditActor
  /** The code of the answer, when the outcome is a failure. */
  reason?: ErrorCode | undefined
  /** Of the management token. */
  actorId?: string | undefined
  /** The user whom it is about, where known. */
  userId?: string | undefined
  /** In place of `userId`: a keyed hash of the address, equal for equal addresses of a tenant. */
  emailHash?: string | undefined
  sessionId?: string | undefined
  /** The operation of the API that was called. */
  operation?: string | undefined
  /** The id or name of what the call was about. */
  target?: string | undefined
}

export type AuditPlace = { projectId?: string | undefined; environment?: string | undefined }

/** Writes one line of the audit trail for what happened in one request. */
export type Audit = (entry: AuditEntry) => void

export type AuditRequest = {
  /** With the ids of the request and of its trace. */
  log: Logger
  clientAddress: string
}

/**
 * One JSON line, `msg` is `audit`. `LOG_LEVEL` does not turn it off: who filters noise out still needs the trail.
 */
export function createAudit(request: AuditRequest, place: AuditPlace): Audit {
  // Not asked for later: a connection that has ended has no address.
  const client = request.clientAddress
  return ({ event, outcome, ...rest }) => {
    // A logger for each request costs more than most requests need: they leave no line.
    const { log } = request
    const isHeard = log.isLevelEnabled('info') || log.level === 'silent'
    const trail = isHeard ? log : log.child({}, { level: 'info' })
    trail.info({ event, outcome, ...place, client, ...rest }, 'audit')
  }
}
