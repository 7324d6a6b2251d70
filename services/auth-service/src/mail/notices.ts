import { newEventId } from '@surehook/contracts/ids'
import type { SecretBox } from '@surehook/service-kit/crypto/secret-box'
import { reasonOf } from '@surehook/service-kit/errors'
import type { Logger } from '@surehook/service-kit/telemetry/log'
import type { Pool, PoolClient } from 'pg'
import { writeDecoy } from '../accounts/write-decoy.ts'
import type { Tenant } from '../platform/tenant.ts'
import { mailContext } from './outbox.ts'
import type { NoticeTemplate } from './texts/mail-text.ts'

/** Tells users of their account by mail, where the environment wants so. The outbox is read every second. */
export type Notices = {
  /** In the transaction that sets the password. */
  passwordChanged(tx: PoolClient, tenant: Tenant, email: string): Promise<void>
  /** Does as much when nobody has the address. Never rejects: the answer to who failed stands. */
  accountLocked(tenant: Tenant, email: string): Promise<void>
  /** Never rejects. */
  tokenReused(tenant: Tenant, userId: string): Promise<void>
}

/** Whoever locks an account again and again does not fill its owner's mailbox. */
const quietForS: Readonly<Record<NoticeTemplate, number>> = {
  password_changed: 0,
  account_locked: 3_600,
  token_reused: 3_600,
}

type Addressee = { email: string } | { userId: string }

export type NoticesDeps = { pool: Pool; box: SecretBox; log: Logger }

export function createNotices({ pool, box, log }: NoticesDeps): Notices {
  async function queue(
    db: Pool | PoolClient,
    { projectId, environment }: Tenant,
    { template, to }: { template: NoticeTemplate; to: Addressee },
  ): Promise<void> {
    const mailId = newEventId()
    await db.query({
      ...('email' in to ? byEmail : byId),
      values: [
        projectId,
        environment,
        'email' in to ? to.email : to.userId,
        template,
        mailId,
        // Not left out: an older replica that takes the mail opens it, cannot word it, and leaves it to a newer one.
        box.seal('', mailContext(mailId)),
        quietForS[template],
      ],
    })
  }

  async function queueAside(tenant: Tenant, template: NoticeTemplate, to: Addressee) {
    if (!tenant.settings.mail.notices) return
    await queue(pool, tenant, { template, to }).catch((err: unknown) => {
      log.warn({ template, reason: reasonOf(err) }, 'mail.notice.lost')
    })
  }

  return {
    async passwordChanged(tx, tenant, email) {
      if (!tenant.settings.mail.notices) return
      await queue(tx, tenant, { template: 'password_changed', to: { email } })
    },
    accountLocked: (tenant, email) => queueAside(tenant, 'account_locked', { email }),
    tokenReused: (tenant, userId) => queueAside(tenant, 'token_reused', { userId }),
  }
}

/** An address that nobody has confirmed need not be the user's: it gets none. */
const queueSql = (isOwner: string) => `
with owner as (
  select u.id, u.email from user_account u
   where u.project_id = $1 and u.environment = $2 and ${isOwner}
     and u.email_verified and not u.disabled
),
noted as (
  insert into sent_notice as n (user_id, template, sent_at) select id, $4, now() from owner
  on conflict (user_id, template) do update set sent_at = excluded.sent_at
   where n.sent_at <= now() - $7 * interval '1 second'
  returning n.user_id
),
queued as (
  insert into mail_outbox (id, project_id, environment, recipient, template, sealed_code, expires_at)
  select $5, $1, $2, o.email, $4, $6, now() + interval '1 day'
    from owner o join noted on noted.user_id = o.id
  on conflict (project_id, environment, recipient, template) do nothing
)
select case when not exists (select from noted) then ${writeDecoy} end`

const byEmail = { name: 'queue-notice-by-email', text: queueSql('u.email = $3') }
const byId = { name: 'queue-notice-by-id', text: queueSql('u.id = $3') }
