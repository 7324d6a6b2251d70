import { newEventId } from '@surehook/contracts/ids'
import type { SecretBox } from '@surehook/service-kit/crypto/secret-box'
import { reasonOf } from '@surehook/service-kit/errors'
import type { Logger } from '@surehook/service-kit/telemetry/log'
import type { Pool, PoolClient } from 'pg'
import type { Tenant } from '../platform/tenant.ts'
import { writeDecoy } from '../write-decoy.ts'
import { mailContext } from './outbox.ts'
import type { NoticeTemplate } from './texts/mail-text.ts'

/**
 * Mails users about their account, if the environment has `mail.notices`. The outbox is read every
 * second.
 */
export type Notices = {
  /** Queues the notice in `tx`, the transaction that sets the password. */
  passwordChanged(tx: PoolClient, tenant: Tenant, email: string): Promise<void>
  /**
   * Does the same work if nobody has the address. Never rejects, so the answer to the failed login
   * does not change.
   */
  accountLocked(tenant: Tenant, email: string): Promise<void>
  /** Never rejects, so the answer to the refresh does not change. */
  tokenReused(tenant: Tenant, userId: string): Promise<void>
}

/**
 * The shortest time between two notices of a kind: somebody who locks an account again and again
 * cannot fill its owner's mailbox.
 */
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
        // The sender decrypts the code of every mail. A notice has none.
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

/** Unconfirmed addresses get no notice, because they may belong to somebody else. */
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
