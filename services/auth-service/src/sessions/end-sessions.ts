import type { EmitState, StateWriter } from '@surehook/change-capture/emit/state-writer'
import type { AccessClaims } from '@surehook/token-verifier'
import type { PoolClient } from 'pg'
import type { Tenant } from '../platform/tenant.ts'
import type { EndedSessions, EndReason, Revocation } from '../revocation/revocation.ts'
import { emitRevocations, findRevocation } from '../revocation/revocation-store.ts'
import { lockSession, lockSessions, type UserOfTenant } from './read-sessions.ts'
import type { SessionMeters } from './session-meters.ts'
import { endAccessTokensSql, endSessionsSql } from './session-statements.ts'

export type SessionEnds = {
  /** Ends the session. Resolves when every verifier can know. */
  logout(tenant: Tenant, claims: Pick<AccessClaims, 'sid'>): Promise<void>
  /** Ends every session of the user, inside a `StateWriter.write`. */
  endAll(
    tx: PoolClient,
    emit: EmitState,
    at: UserOfTenant,
    reason: EndReason,
  ): Promise<EndedSessions>
  /**
   * Ends every session of the user but one, inside a `StateWriter.write`. If that one has already
   * ended, it ends nothing and resolves with `null`.
   */
  endOthers(
    tx: PoolClient,
    emit: EmitState,
    at: UserOfTenant & Pick<AccessClaims, 'sid'>,
  ): Promise<EndedSessions | null>
  /**
   * Ends a session of the user like `logout`. Resolves with false if the user has no such session
   * or it had already ended. For an ended session it also waits until every verifier can know.
   */
  endOne(at: LoggedOut & UserOfTenant): Promise<boolean>
  /**
   * Ends the access tokens of a user after a change of roles, not the sessions. Call it after the
   * change of the user's row, in the same transaction: the sessions read their roles from there.
   */
  endAccessTokens(tx: PoolClient, emit: EmitState, at: UserOfTenant): Promise<EndedSessions>
}

export type SessionEndsDeps = {
  writer: StateWriter
  copyRevocations: (ended: EndedSessions) => Promise<void>
  meters: Pick<SessionMeters, 'ended'>
}

type LoggedOut = Omit<UserOfTenant, 'userId'> & Pick<AccessClaims, 'sid'> & { reason?: EndReason }

type EndStatement = { text: string; values: unknown[]; reason: EndReason | 'roles' }

/** Ends sessions in the transaction that also writes the message to the verifiers. */
export function createSessionEnds(deps: SessionEndsDeps): SessionEnds {
  const { writer, copyRevocations, meters } = deps

  async function end(
    tx: PoolClient,
    emit: EmitState,
    { text, values, reason }: EndStatement,
  ): Promise<EndedSessions> {
    const { rows } = await tx.query<Revocation>(text, values)
    await emitRevocations(emit, rows)
    meters.ended(reason, rows.length)
    return rows
  }

  async function logOut(
    tx: PoolClient,
    emit: EmitState,
    { projectId, environment, sid, reason = 'logout' }: LoggedOut,
  ): Promise<EndedSessions> {
    const values = [projectId, environment, sid, null, reason, null]
    const revoked = await end(tx, emit, { text: endSessionsSql, values, reason })
    if (revoked.length > 0) return revoked
    // The session had already ended, but that call may not have reached every verifier. So the
    // revocation is published again.
    const known = await findRevocation(tx, sid)
    await emitRevocations(emit, known)
    return known
  }

  return {
    async logout({ projectId, environment }, { sid }) {
      const session = { projectId, environment, sid }
      await copyRevocations(await writer.write((tx, emit) => logOut(tx, emit, session)))
    },
    async endOne(session) {
      const found = await writer.write(async (tx, emit) => {
        const isOpen = await lockSession(tx, session)
        return isOpen === null ? null : { isOpen, ended: await logOut(tx, emit, session) }
      })
      if (found === null) return false
      await copyRevocations(found.ended)
      return found.isOpen
    },
    async endOthers(tx, emit, { projectId, environment, userId, sid }) {
      const open = await lockSessions(tx, { projectId, environment, userId })
      if (!open.includes(sid)) return null
      const values = [projectId, environment, null, userId, 'change', sid]
      return end(tx, emit, { text: endSessionsSql, values, reason: 'change' })
    },
    endAll(tx, emit, { projectId, environment, userId }, reason) {
      const values = [projectId, environment, null, userId, reason, null]
      return end(tx, emit, { text: endSessionsSql, values, reason })
    },
    endAccessTokens(tx, emit, { projectId, environment, userId }) {
      const values = [projectId, environment, userId]
      return end(tx, emit, { text: endAccessTokensSql, values, reason: 'roles' })
    },
  }
}
