import type { Audit } from '@surehook/access/audit/audit'
import type { EmitState, StateWriter } from '@surehook/change-capture/emit/state-writer'
import type { TokenPair } from '@surehook/contracts/http/auth'
import { newEventId } from '@surehook/contracts/ids'
import { AppError } from '@surehook/service-kit/errors'
import type { Pool, PoolClient } from 'pg'
import type { Tenant } from '../platform/tenant.ts'
import type { EndedSessions } from '../revocation/revocation.ts'
import { emitRevocations, unpublishedRevocations } from '../revocation/revocation-store.ts'
import type { User } from '../user.ts'
import { createSessionEnds, type SessionEnds } from './end-sessions.ts'
import { lockSessions, type UserOfTenant } from './read-sessions.ts'
import { createRefresh, type RefreshDeps } from './refresh.ts'
import { type RefreshTokens, refreshHash } from './refresh-token.ts'
import type { SessionMeters } from './session-meters.ts'
import { openSessionSql } from './session-statements.ts'
import type { AccessTokens } from './tokens/access-token.ts'

export type Sessions = SessionEnds & {
  /**
   * Opens a session in the caller's transaction. Takes the roles from the user's row and locks it.
   * Rejects with AUTH_INVALID_CREDENTIALS if the user was disabled or deleted meanwhile.
   */
  open(tx: PoolClient, tenant: Tenant, user: Pick<User, 'id'>): Promise<TokenPair>
  /** Rejects with AUTH_TOKEN_INVALID. A token that was used before ends its session. */
  refresh(tenant: Tenant, refreshToken: string, audit: Audit): Promise<TokenPair>
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
  const { accessTokens, refreshTokens, copyRevocations } = deps
  return {
    async open(tx, tenant, user) {
      const sid = newEventId()
      const refreshToken = refreshTokens.create(tenant, sid)
      const subject = await insertSession(tx, tenant, { sid, userId: user.id, refreshToken })
      return { accessToken: await accessTokens.issue(tenant, subject), refreshToken }
    },
    refresh: createRefresh(deps),
    ...createSessionEnds(deps),
    async republish(tx, emit, at) {
      // Otherwise a logout could commit its higher bound after this read and before this commit. The
      // lower bound would then be the last record of the session on the topic.
      await lockSessions(tx, at)
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
