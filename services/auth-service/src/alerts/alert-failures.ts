import type { Pool } from 'pg'
import type { QueuedMail } from '../mail/outbox.ts'

/** The longest reason that answers show. */
const mostCharacters = 200

/**
 * Notes that the alert to a recipient was given up, or that the recipient gets alerts again.
 * @param failure absent if the alert was sent
 */
export async function noteAlertOutcome(
  pool: Pool,
  { projectId, environment, recipient }: QueuedMail,
  failure: string | undefined,
): Promise<void> {
  const place = [projectId, environment, recipient]
  if (failure === undefined) {
    await pool.query(
      `update environment set notify_failures = notify_failures - $3
        where project_id = $1 and name = $2 and notify_failures ? $3`,
      place,
    )
    return
  }
  const noted = { at: new Date().toISOString(), reason: failure.slice(0, mostCharacters) }
  await pool.query(
    `update environment set notify_failures = notify_failures || jsonb_build_object($3::text, $4::jsonb)
      where project_id = $1 and name = $2`,
    [...place, JSON.stringify(noted)],
  )
}
