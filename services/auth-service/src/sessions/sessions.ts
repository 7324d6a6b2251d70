import type { EmitState, StateWriter } from '@surehook/change-capture/emit/state-writer'
import type { TokenPair } from '@surehook/contracts/http/auth'
import { newEventId } from '@surehook/contracts/ids'
import type { Audit } from '@surehook/service-kit/audit/audit'
import { AppError } from '@surehook/service-kit/errors'
import type { AccessClaims } from '@surehook/token-verifier'
import type { Pool, PoolClient } from 'pg'
import type { Tenant } from '../platform/tenant.ts'
import type { EndedSessions, EndReason, Revocation } from '../revocation/revocation.ts'
import {
  emitRevocations,
  findRevocation,
  unpublishedRevocations,
} from '../revocation/revocation-store.ts'
import type { User } from '../users/user.ts'
import { createRefresh, type RefreshDeps } from './refresh.ts'
import { type RefreshTokens, refreshHash } from './refresh-token.ts'
import type { SessionMeters } from './session-meters.ts'
import { endAccessTokensSql, endSessionsSql, openSessionSql } from './session-statements.ts'
import type { AccessTokens } from './tokens/access-token.ts'

export type UserOfTenant = { projectId: string; environment: string; userId: string }

export type Sessions = {
  /**
   * Opens a session in the caller's transaction. Takes the roles from the user's row and locks it.
   * Rejects with AUTH_INVALID_CREDENTIALS if the user was disabled or deleted meanwhile.
   */
  open(tx: PoolClient, tenant: Tenant, user: Pick<User, 'id'>): Promise<TokenPair>
  /** Rejects with AUTH_TOKEN_INVALID. A token that was used before ends its session. */
  refresh(tenant: Tenant, refreshToken: string, audit: Audit): Promise<TokenPair>
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
   * Revokes the access tokens of a user whose roles changed; the sessions stay. Call it after the
   * user's row was changed in the same transaction, because the sessions take their roles from the
   * row.
   */
  endAccessTokens(tx: PoolClient, emit: EmitState, at: UserOfTenant): Promise<EndedSessions>
  /**
   * Publishes again the user's revocations that may not have reached every verifier. A repeat of a
   * call that got 503 needs this, because it finds nothing left to end.
   */
  republish(tx: PoolClient, emit: EmitState, at: UserOfTenant): Promise<EndedSessions>
  /**
   * Copies the ended sessions to Redis. Call it after the commit, and answer with success only when
   * it has resolved.
   */
  blacklist(ended: EndedSessions): Promise<void>
}

export type SessionsDeps = RefreshDeps & {
  pool: Pool
  writer: StateWriter
  accessTokens: Pick<AccessTokens, 'issue' | 'prepare'>
  refreshTokens: RefreshTokens
  copyRevocations: (ended: EndedSessions) => Promise<void>
  meters: SessionMeters
}

/** A session ends after this time, however often it is refreshed. */
const absoluteAgeS = 90 * 86_400

export function createSessions(deps: SessionsDeps): Sessions {
  const { writer, accessTokens, refreshTokens, copyRevocations, meters } = deps

  async function revoke(
    tx: PoolClient,
    emit: EmitState,
    statement: { text: string; values: unknown[] },
  ): Promise<EndedSessions> {
    const { rows } = await tx.query<Revocation>(statement)
    await emitRevocations(emit, rows)
    return rows
  }

  return {
    async open(tx, tenant, user) {
      const sid = newEventId()
      const refreshToken = refreshTokens.create(tenant, sid)
      const subject = await insertSession(tx, tenant, { sid, userId: user.id, refreshToken })
      return { accessToken: await accessTokens.issue(tenant, subject), refreshToken }
    },
    refresh: createRefresh(deps),
    async logout({ projectId, environment }, { sid }) {
      const ended = await writer.write(async (tx, emit) => {
        const values = [projectId, environment, sid, null, 'logout']
        const revoked = await revoke(tx, emit, { text: endSessionsSql, values })
        meters.ended('logout', revoked.length)
        if (revoked.length > 0) return revoked
        // An earlier call ended the session but may not have reached every verifier, so its
        // revocation is published again.
        const known = await findRevocation(tx, sid)
        await emitRevocations(emit, known)
        return known
      })
      await copyRevocations(ended)
    },
    async endAll(tx, emit, { projectId, environment, userId }, reason) {
      const values = [projectId, environment, null, userId, reason]
      const ended = await revoke(tx, emit, { text: endSessionsSql, values })
      meters.ended(reason, ended.length)
      return ended
    },
    async endAccessTokens(tx, emit, { projectId, environment, userId }) {
      const values = [projectId, environment, userId]
      const ended = await revoke(tx, emit, { text: endAccessTokensSql, values })
      meters.ended('roles', ended.length)
      return ended
    },
    async republish(tx, emit, at) {
      const unpublished = await unpublishedRevocations(tx, at)
      await emitRevocations(emit, unpublished)
      return unpublished
    },
    blacklist: copyRevocations,
  }
}

type NewSession = { sid: string; userId: string; refreshToken: string }

async function insertSession(
  tx: PoolClient,
  { projectId, environment, settings }: Tenant,
  { sid, userId, refreshToken }: NewSession,
) {
  const { rows } = await tx.query<{ roles: string[]; generation: number }>({
    name: 'open-session',
    text: openSessionSql,
    values: [
      sid,
      projectId,
      environment,
      userId,
      refreshHash(refreshToken),
      settings.refreshTokenTtl,
      absoluteAgeS,
      settings.accessTokenTtl,
    ],
  })
  const [row] = rows
  if (row === undefined) {
    throw new AppError('AUTH_INVALID_CREDENTIALS', 'The e-mail address or the password is wrong')
  }
  return { sub: userId, sid, gen: row.generation, roles: row.roles }
}
