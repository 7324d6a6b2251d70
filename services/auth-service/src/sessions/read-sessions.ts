import type { UserSession } from '@surehook/contracts/http/account'
import type { OpenSession } from '@surehook/contracts/http/admin/user-access'
import { AppError } from '@surehook/service-kit/errors'
import { decodeCursor, type Page, pageOf } from '@surehook/service-kit/http/cursor'
import type { AccessClaims } from '@surehook/token-verifier'
import type { Pool, PoolClient } from 'pg'
import * as z from 'zod'

export type UserOfTenant = { projectId: string; environment: string; userId: string }

type OwnSession = UserOfTenant & Pick<AccessClaims, 'sid'>

export const sessionNotFound = () =>
  new AppError('SESSION_NOT_FOUND', 'The user has no such session')

const isOpen = `ended_at is null and idle_expires_at > clock_timestamp()
  and expires_at > clock_timestamp()`

type Row = { id: string; createdAt: Date; lastUsedAt: Date; expiresAt: Date }

/**
 * Returns the user's sessions that can still be refreshed, newest first: ids are in the order of
 * creation.
 */
export async function listOpenSessions(
  pool: Pool,
  { projectId, environment, userId }: UserOfTenant,
  { limit, cursor }: Page,
): Promise<{ sessions: OpenSession[]; nextCursor: string | null }> {
  const before = decodeCursor(z.uuid(), cursor)
  const { rows } = await pool.query<Row>(
    `select id, created_at as "createdAt", rotated_at as "lastUsedAt",
        least(idle_expires_at, expires_at) as "expiresAt"
       from session
      where project_id = $1 and environment = $2 and user_id = $3 and ${isOpen}
        and ($4::uuid is null or id < $4)
      order by id desc limit $5`,
    [projectId, environment, userId, before, limit + 1],
  )
  const { page, nextCursor } = pageOf(rows, limit, ({ id }) => id)
  const sessions = page.map(({ id, createdAt, lastUsedAt, expiresAt }) => ({
    id,
    createdAt: createdAt.toISOString(),
    lastUsedAt: lastUsedAt.toISOString(),
    expiresAt: expiresAt.toISOString(),
  }))
  return { sessions, nextCursor }
}

/** The same for the user's own view, which marks the session `sid` as the current one. */
export async function listOwnSessions(
  pool: Pool,
  own: OwnSession,
  page: Page,
): Promise<{ sessions: UserSession[]; nextCursor: string | null }> {
  const { sessions, nextCursor } = await listOpenSessions(pool, own, page)
  const shown = sessions.map(({ expiresAt, ...session }) => ({
    ...session,
    current: session.id === own.sid,
  }))
  return { sessions: shown, nextCursor }
}

/** Locks the session and tells whether it is open. `null` if the user has no such session. */
export async function lockSession(
  tx: PoolClient,
  { projectId, environment, userId, sid }: OwnSession,
): Promise<boolean | null> {
  const { rows } = await tx.query<{ open: boolean }>(
    `select ${isOpen} as open from session
      where project_id = $1 and environment = $2 and user_id = $3 and id = $4 for update`,
    [projectId, environment, userId, sid],
  )
  return rows[0]?.open ?? null
}

/**
 * Locks the user's sessions that nothing has ended, in the order of `endSessionsSql`, and returns
 * their ids.
 */
export async function lockSessions(
  tx: PoolClient,
  { projectId, environment, userId }: UserOfTenant,
): Promise<string[]> {
  const { rows } = await tx.query<{ id: string }>(
    `select id from session
      where project_id = $1 and environment = $2 and user_id = $3 and ended_at is null
      order by id for update`,
    [projectId, environment, userId],
  )
  return rows.map(({ id }) => id)
}

/**
 * True if the session is open and has changed the password, and an access token that the change
 * ended could still be valid. Every other session that is older than the change has ended.
 */
export async function hasChangedPassword(
  pool: Pool,
  { projectId, environment, userId, sid }: OwnSession,
): Promise<boolean> {
  const { rowCount } = await pool.query(
    `select from session own
       join session other using (project_id, environment, user_id)
       join revocation r on r.session_id = other.id
      where own.project_id = $1 and own.environment = $2 and own.user_id = $3
        and own.id = $4 and own.ended_at is null
        and other.end_reason = 'change' and other.ended_at > own.created_at
        and r.expires_at > clock_timestamp()
      limit 1`,
    [projectId, environment, userId, sid],
  )
  return rowCount === 1
}
