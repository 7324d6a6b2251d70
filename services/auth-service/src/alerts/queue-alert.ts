import type { WebhookAlert } from '@surehook/contracts/events/webhook-alert'
import { alertMessageId, newEventId } from '@surehook/contracts/ids'
import type { SecretBox } from '@surehook/service-kit/crypto/secret-box'
import { inTransaction } from '@surehook/service-kit/postgres/pool'
import type { Pool, PoolClient } from 'pg'
import { type AlertTemplate, alertTemplate, mailContext } from '../mail/outbox.ts'
import type { SettingsOverrides } from '../platform/auth-settings.ts'
import { chatContext, chatsOf, notifySettings } from './notify-settings.ts'
import type { AlertMessage } from './send-alert.ts'

export type QueueAlertDeps = { pool: Pool; box: SecretBox }

/**
 * Puts a message to everybody who is to be told into the outbox. The transaction notes the alert in
 * the environment, so a repeated alert and one of an earlier environment queue nothing.
 * @returns true if messages were queued
 */
export function queueAlert({ pool, box }: QueueAlertDeps, alert: WebhookAlert): Promise<boolean> {
  return inTransaction(pool, async (tx) => {
    const overrides = await takeAlert(tx, alert)
    if (overrides === undefined) return false
    const template = alertTemplate(alert.id)
    return (await queueMessages({ tx, box }, { alert, overrides, template })) > 0
  })
}

/**
 * Queues a test to every recipient.
 * @returns the number of recipients; undefined without the environment
 */
export async function queueTestAlert(
  { pool, box }: QueueAlertDeps,
  { project, environment }: { project: string; environment: string },
): Promise<number | undefined> {
  return inTransaction(pool, async (tx) => {
    const { rows } = await tx.query<{ overrides: SettingsOverrides; createdAt: Date }>(
      `select notify_overrides as overrides, created_at as "createdAt" from environment
        where project_id = $1 and name = $2 and deleted_at is null`,
      [project, environment],
    )
    const [row] = rows
    if (row === undefined) return undefined
    const alert: WebhookAlert = {
      ...{ id: newEventId(), projectId: project, environment, webhooks: [], more: 0 },
      environmentCreatedAt: row.createdAt.toISOString(),
      at: new Date().toISOString(),
    }
    // A template of its own: there is one unsent test per recipient.
    const template = alertTemplate('test')
    return queueMessages({ tx, box }, { alert, overrides: row.overrides, template })
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

type Messages = { alert: WebhookAlert; overrides: SettingsOverrides; template: AlertTemplate }

async function queueMessages(
  { tx, box }: { tx: PoolClient; box: SecretBox },
  { alert, overrides, template }: Messages,
): Promise<number> {
  const { projectId, environment } = alert
  const messages: [recipient: string, message: AlertMessage][] = [
    ...notifySettings(overrides).emails.map((email): [string, AlertMessage] => [email, { alert }]),
    ...chatsOf(overrides).map(({ kind, shown, sealed }): [string, AlertMessage] => {
      const url = box.open(sealed, chatContext(projectId, environment))
      return [shown, { alert, chat: { kind, url } }]
    }),
  ]
  for (const [recipient, message] of messages) {
    const id = alertMessageId(alert.id, recipient)
    const sealed = box.seal(JSON.stringify(message), mailContext(id))
    await tx.query(
      `insert into mail_outbox
         (id, project_id, environment, recipient, template, sealed_code, expires_at)
       values ($1, $2, $3, $4, $5, $6, now() + interval '1 hour')
       on conflict do nothing`,
      [id, projectId, environment, recipient, template, sealed],
    )
  }
  return messages.length
}
