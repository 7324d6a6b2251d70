import type { Pool } from 'pg'
import type { SettingsOverrides } from '../platform/auth-settings.ts'

export const mailTemplates = ['verification', 'recovery'] as const
export type MailTemplate = (typeof mailTemplates)[number]

export type QueuedMail = {
  id: string
  projectId: string
  environment: string
  recipient: string
  template: MailTemplate
  sealedCode: string
  expiresAt: Date
  /** This one included. */
  attempts: number
  overrides: SettingsOverrides
}

/** What a sealed code is bound to: a row's code opens in no other row. */
export const mailContext = (id: string) => `mail/${id}`

/**
 * Takes mails that are due and hides them from everybody else for a while: whoever dies with one in
 * hand gives it back by that. Nothing is locked while the mail is sent.
 */
export async function claimMails(
  pool: Pool,
  { limit, leaseMs }: { limit: number; leaseMs: number },
): Promise<QueuedMail[]> {
  const { rows } = await pool.query<QueuedMail>(
    `with due as (
       select id from mail_outbox where next_attempt_at <= now()
        order by next_attempt_at limit $1 for update skip locked
     ),
     claimed as (
       update mail_outbox m
          set attempts = attempts + 1, next_attempt_at = now() + $2 * interval '1 millisecond'
         from due where m.id = due.id
       returning m.*
     )
     select m.id, m.project_id as "projectId", m.environment, m.recipient, m.template,
            m.sealed_code as "sealedCode", m.expires_at as "expiresAt", m.attempts,
            e.auth_overrides as overrides
       from claimed m
       join environment e on e.project_id = m.project_id and e.name = m.environment`,
    [limit, leaseMs],
  )
  return rows
}

export async function deleteMail(pool: Pool, id: string): Promise<void> {
  await pool.query('delete from mail_outbox where id = $1', [id])
}

export async function postponeMail(pool: Pool, id: string, ms: number): Promise<void> {
  await pool.query(
    `update mail_outbox set next_attempt_at = now() + $2 * interval '1 millisecond' where id = $1`,
    [id, ms],
  )
}
