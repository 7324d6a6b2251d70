import type { EmitState } from '@surehook/change-capture/emit/state-writer'
import type { Pool, PoolClient } from 'pg'
import {
  type EndedSessions,
  type Revocation,
  revocationColumns,
  revocationMessage,
} from './revocation.ts'

const pageSize = 2_000

/** Reads every revocation that is still needed, in pages. */
export async function* livingRevocations(pool: Pool): AsyncGenerator<readonly Revocation[]> {
  for (let after: string | null = null; ; ) {
    const { rows }: { rows: Revocation[] } = await pool.query<Revocation>(
      `select ${revocationColumns}
         from revocation r
        where r.expires_at > clock_timestamp() and ($1::uuid is null or r.session_id > $1)
        order by r.session_id limit $2`,
      [after, pageSize],
    )
    if (rows.length > 0) yield rows
    const last = rows.at(-1)
    if (last === undefined || rows.length < pageSize) return
    after = last.sessionId
  }
}

/**
 * Reads older revocations that may be missing in Redis, because the process died or Redis was down.
 */
export async function uncopiedRevocations(pool: Pool, limit: number): Promise<Revocation[]> {
  const { rows } = await pool.query<Revocation>(
    `select ${revocationColumns}
       from revocation r
      where r.copied_at is null and r.revoked_at < clock_timestamp() - interval '1 second'
      order by r.revoked_at limit $1`,
    [limit],
  )
  return rows
}

/** Marks revocations that Redis holds. One that was raised meanwhile stays unmarked. */
export async function markCopied(pool: Pool, revocations: readonly Revocation[]): Promise<void> {
  await pool.query(
    `update revocation r set copied_at = clock_timestamp()
       from unnest($1::uuid[], $2::integer[]) as done(session_id, min_generation)
      where r.session_id = done.session_id and r.min_generation = done.min_generation`,
    [
      revocations.map(({ sessionId }) => sessionId),
      revocations.map(({ minGeneration }) => minGeneration),
    ],
  )
}

/** Publishes to the verifiers the revocations of a statement in the same transaction. */
export async function emitRevocations(emit: EmitState, ended: EndedSessions): Promise<void> {
  for (const revocation of ended) await emit(revocationMessage(revocation))
}

/** The revocation of a session, if there is one. */
export async function findRevocation(tx: PoolClient, sessionId: string): Promise<EndedSessions> {
  const { rows } = await tx.query<Revocation>(
    `select ${revocationColumns} from revocation r where r.session_id = $1`,
    [sessionId],
  )
  return rows
}

/** Returns the revocation of a session while any of its access tokens could still be valid. */
export async function findLivingRevocation(pool: Pool, sessionId: string): Promise<EndedSessions> {
  const { rows } = await pool.query<Revocation>(
    `select ${revocationColumns} from revocation r
      where r.session_id = $1 and r.expires_at > clock_timestamp()`,
    [sessionId],
  )
  return rows
}

/**
 * Reads a user's revocations that may not have reached every verifier: those that Redis may lack,
 * and the newest one. The newest one suffices for Kafka, because the topic holds all earlier ones
 * once it holds that.
 */
export async function unpublishedRevocations(
  tx: PoolClient,
  { projectId, environment, userId }: { projectId: string; environment: string; userId: string },
): Promise<EndedSessions> {
  const { rows } = await tx.query<Revocation>(
    `select ${revocationColumns}
       from (select r.*, row_number() over (order by r.revoked_at desc) as place
               from session s join revocation r on r.session_id = s.id
              where s.project_id = $1 and s.environment = $2 and s.user_id = $3
                and r.expires_at > clock_timestamp()) r
      where r.copied_at is null or r.place = 1
      order by r.revoked_at`,
    [projectId, environment, userId],
  )
  return rows
}
