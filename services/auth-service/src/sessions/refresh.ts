import type { Audit } from '@surehook/access/audit/audit'
import { anyPosition } from '@surehook/change-capture/slot/wait-relayed'
import { wholeSession } from '@surehook/contracts/events/session-revocation'
import type { TokenPair } from '@surehook/contracts/http/auth'
import { AppError } from '@surehook/service-kit/errors'
import type { Pool } from 'pg'
import type { Notices } from '../mail/notices.ts'
import type { Tenant } from '../platform/tenant.ts'
import type { Blacklist } from '../revocation/blacklist.ts'
import type { EndedSessions } from '../revocation/revocation.ts'
import { findLivingRevocation } from '../revocation/revocation-store.ts'
import { type RefreshTokens, refreshHash } from './refresh-token.ts'
import type { SessionMeters } from './session-meters.ts'
import { refreshSql } from './session-statements.ts'
import type { AccessTokens } from './tokens/access-token.ts'

export type RefreshDeps = {
  pool: Pool
  /** The service whose relay reads the WAL messages. */
  service: string
  accessTokens: Pick<AccessTokens, 'issue' | 'prepare'>
  refreshTokens: RefreshTokens
  blacklist: Pick<Blacklist, 'requireRedis'>
  copyRevocations: (ended: EndedSessions) => Promise<void>
  /** Resolves when the topic holds everything that was emitted up to this LSN. */
  relayed: (lsn: string) => Promise<void>
  notices: Pick<Notices, 'tokenReused'>
  meters: SessionMeters
}

type Row = {
  userId: string
  roles: string[]
  generation: number
  reused: boolean
  refreshHash: Buffer
  lsn: string | null
  expiresAt: Date | null
}

type Exchange = {
  sid: string
  token: string
  /** The hashes of every possible successor. */
  successors: readonly Buffer[]
}

export function createRefresh(deps: RefreshDeps) {
  const { pool, accessTokens, refreshTokens, blacklist, meters } = deps
  const text = refreshSql(deps.service)

  async function exchange(tenant: Tenant, { sid, token, successors }: Exchange) {
    const { projectId, environment, settings } = tenant
    const { refreshTokenTtl, accessTokenTtl, refreshReuseInterval } = settings
    const { rows } = await pool.query<Row>({
      name: 'refresh',
      text,
      values: [
        sid,
        projectId,
        environment,
        refreshHash(token),
        successors[0],
        refreshTokenTtl,
        accessTokenTtl,
        refreshReuseInterval,
        successors,
      ],
    })
    return rows[0]
  }

  return async (tenant: Tenant, token: string, audit: Audit): Promise<TokenPair> => {
    const sid = refreshTokens.sessionOf(tenant, token)
    if (sid === null) throw refused(meters, 'unknown')
    // Nothing is exchanged without Redis, because a reuse must be recorded there.
    await blacklist.requireRedis()
    // Prepared first: after the exchange the token is used up, so a client that retries after an
    // error would look like a thief.
    await accessTokens.prepare(tenant)
    const repeatable = tenant.settings.refreshReuseInterval > 0
    const successors = repeatable
      ? refreshTokens.successors(tenant, token, sid)
      : ([refreshTokens.create(tenant, sid)] as const)
    const hashes = successors.map(refreshHash)
    const row = await exchange(tenant, { sid, token, successors: hashes })
    if (row === undefined) {
      await awaitPublishedEnd(deps, sid)
      throw refused(meters, 'ended')
    }
    if (row.reused) {
      const event = { event: 'authn_token_reuse', outcome: 'failure', actor: 'anonymous' } as const
      audit({ ...event, userId: row.userId, sessionId: sid, reason: 'AUTH_TOKEN_INVALID' })
      await deps.notices.tokenReused(tenant, row.userId)
      await publishReuse(deps, tenant, { sid, row })
      throw refused(meters, 'reused')
    }
    const { userId: sub, generation: gen, roles } = row
    const accessToken = await accessTokens.issue(tenant, { sub, sid, gen, roles })
    meters.refreshed('exchanged')
    const given = hashes.findIndex((hash) => hash.equals(row.refreshHash))
    return { accessToken, refreshToken: successors[given] ?? successors[0] }
  }
}

/**
 * The session has ended in any case. Every verifier has to know before the answer: without Redis or
 * Kafka the answer is SERVICE_UNAVAILABLE.
 */
async function publishReuse(
  { copyRevocations, relayed, meters }: RefreshDeps,
  { projectId, environment }: Tenant,
  { sid, row }: { sid: string; row: Row },
): Promise<void> {
  meters.ended('reuse', 1)
  const { lsn, expiresAt } = row
  if (lsn === null || expiresAt === null) return
  await copyRevocations([
    { sessionId: sid, projectId, environment, minGeneration: wholeSession, expiresAt },
  ])
  await relayed(lsn)
}

/**
 * The request that ended the session may have got SERVICE_UNAVAILABLE because some verifiers did
 * not know. A repeat must not answer that the session is over before they do.
 */
async function awaitPublishedEnd({ pool, copyRevocations, relayed }: RefreshDeps, sid: string) {
  const living = await findLivingRevocation(pool, sid)
  if (living.length === 0) return
  await copyRevocations(living)
  await relayed(anyPosition)
}

function refused(meters: SessionMeters, outcome: 'unknown' | 'ended' | 'reused'): AppError {
  meters.refreshed(outcome)
  return new AppError('AUTH_TOKEN_INVALID', 'The refresh token is not valid, or was used already')
}
