import type { WebhookAlert } from '@surehook/contracts/events/webhook-alert'
import { alertMessageId } from '@surehook/contracts/ids'
import type { SecretBox } from '@surehook/service-kit/crypto/secret-box'
import { inTransaction } from '@surehook/service-kit/postgres/pool'
import type { Pool, PoolClient } from 'pg'
import { alertTemplate, mailContext } from '../mail/outbox.ts'
import { notifySettings, type SettingsOverrides } from '../platform/auth-settings.ts'

export type QueueAlertDeps = { pool: Pool; box: SecretBox }

/**
 * Puts a mail to everybody who is to be told into the outbox. The transaction notes the alert in
 * the environment, so a repeated alert and one of an earlier environment queue nothing.
 * @returns true if mails were queued
 */
export function queueAlert({ pool, box }: QueueAlertDeps, alert: WebhookAlert): Promise<boolean> {
  return inTransaction(pool, async (tx) => {
    const overrides = await takeAlert(tx, alert)
    if (overrides === undefined) return false
    const { emails } = notifySettings(overrides)
    for (const email of emails) await queue({ tx, box }, { alert, recipient: email })
    return emails.length > 0
  })
}

async function takeAlert(
  tx: PoolClient,
  { projectId, environment, environmentCreatedAt, at }: WebhookAlert,
): Promise<SettingsOverrides | undefined> {
  const { rows } = await tx.query<{ overrides: SettingsOverrides }>(
    `update environment set alerted_at = $4
      where project_id = $1 and name = $2 and deleted_at is null
        and date_trunc('milliseconds', created_at) = $3 and coalesce(alerted_at, '-infinity') < $4
      returning notify_overrides as overrides`,
    [projectId, environment, environmentCreatedAt, at],
  )
  return rows[0]?.overrides
}

async function queue(
  { tx, box }: { tx: PoolClient; box: SecretBox },
  { alert, recipient }: { alert: WebhookAlert; recipient: string },
): Promise<void> {
  const id = alertMessageId(alert.id, recipient)
  await tx.query(
    `insert into mail_outbox
       (id, project_id, environment, recipient, template, sealed_code, expires_at)
     values ($1, $2, $3, $4, $5, $6, now() + interval '1 hour')
     on conflict do nothing`,
    [
      id,
      alert.projectId,
      alert.environment,
      recipient,
      alertTemplate(alert.id),
      box.seal(JSON.stringify(alert), mailContext(id)),
    ],
  )
}
