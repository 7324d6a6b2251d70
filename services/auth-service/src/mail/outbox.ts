import type { Pool } from 'pg'
import type { SettingsOverrides } from '../platform/auth-settings.ts'
import type { MailTemplate } from './texts/mail-text.ts'

export type QueuedMail = {
  id: string
  projectId: string
  environment: string
  recipient: string
  template: MailTemplate | AlertTemplate
  /** The encrypted code. A notice has no code and encrypts an empty text, an alert its JSON. */
  sealedCode: string
  /** The language of the user; `null` if it is unknown. */
  locale: string | null
  expiresAt: Date
  /** Includes this attempt. */
  attempts: number
  overrides: SettingsOverrides
}

export type AlertTemplate = `alert/${string}`

/** Each alert is a template of its own, so that an unsent alert does not keep out a later one. */
export const alertTemplate = (alertId: string): AlertTemplate => `alert/${alertId}`

export const isAlert = (template: QueuedMail['template']): template is AlertTemplate =>
  template.startsWith('alert/')

/** The context that seals a code: it opens only in its own row. */
export const mailContext = (id: string) => `mail/${id}`

export type ClaimMails = {
  limit: number
  leaseMs: number
  /** The tenant that was served last. Every other tenant comes before it. */
  after: MailTenant
  /** Tenants to skip now. */
  except: readonly MailTenant[]
}

export type MailTenant = Pick<QueuedMail, 'projectId' | 'environment'>

/** Sorts before every tenant. */
export const firstTurn: MailTenant = { projectId: '', environment: '' }

/**
 * Claims one due mail of each tenant, in the order of the tenants' names, with a lease. If the
 * process dies, its mails become due again when the lease ends. Nothing is locked while a mail is
 * sent.
 *
 * If fewer mails than the limit are returned, the round is complete: begin again with `firstTurn`.
 * The query reads the index once per tenant, however many mails wait.
 */
export async function claimMails(
  pool: Pool,
  { limit, leaseMs, after, except }: ClaimMails,
): Promise<QueuedMail[]> {
  const { rows } = await pool.query<QueuedMail>({
    name: 'claim-mails',
    text: claimSql,
    values: [
      limit,
      leaseMs,
      after.projectId,
      after.environment,
      except.map(({ projectId }) => projectId),
      except.map(({ environment }) => environment),
    ],
  })
  return rows
}

const nextTenant = (afterProject: string, afterEnvironment: string) => `
  select project_id, environment from mail_outbox
   where (project_id, environment) > (${afterProject}, ${afterEnvironment})
   order by project_id, environment limit 1`

const claimSql = `
with recursive tenant as (
  (${nextTenant('$3', '$4')})
  union all
  select next.*
    from tenant t cross join lateral (${nextTenant('t.project_id', 't.environment')}) next
),
due as (
  select mail.id, row_number() over () as turn
    from tenant t
   cross join lateral (
     select id from mail_outbox
      where project_id = t.project_id and environment = t.environment and next_attempt_at <= now()
      order by next_attempt_at limit 1 for update skip locked) mail
   where (t.project_id, t.environment) not in (select * from unnest($5::text[], $6::text[]))
   limit $1
),
claimed as (
  update mail_outbox m
     set attempts = attempts + 1, next_attempt_at = now() + $2 * interval '1 millisecond'
    from due where m.id = due.id
  returning m.*, due.turn
)
select m.id, m.project_id as "projectId", m.environment, m.recipient, m.template,
       m.sealed_code as "sealedCode", m.expires_at as "expiresAt", m.attempts,
       e.auth_overrides as overrides, u.locale
  from claimed m
  join environment e on e.project_id = m.project_id and e.name = m.environment
  left join user_account u on u.project_id = m.project_id and u.environment = m.environment
   and u.email = m.recipient
 order by m.turn`

export async function deleteMail(pool: Pool, id: string): Promise<void> {
  await pool.query('delete from mail_outbox where id = $1', [id])
}

export async function postponeMail(pool: Pool, id: string, ms: number): Promise<void> {
  await pool.query(
    `update mail_outbox set next_attempt_at = now() + $2 * interval '1 millisecond' where id = $1`,
    [id, ms],
  )
}
