import type { WebhookAlert } from '@surehook/contracts/events/webhook-alert'
import type { ChatKind } from '@surehook/contracts/http/admin/chat-urls'
import type { MailTransport } from '../mail/mail-transport.ts'
import type { QueuedMail } from '../mail/outbox.ts'
import type { MailAddress } from '../mail/render-mail.ts'
import { chatBody } from './chat-body.ts'
import type { ChatTransport } from './chat-transport.ts'
import { renderAlertMail } from './render-alert-mail.ts'

/** What the outbox holds of an alert, encrypted. Without `chat` it is a mail. */
export type AlertMessage = { alert: WebhookAlert; chat?: { kind: ChatKind; url: string } }

export type AlertSenderDeps = {
  transport: Pick<MailTransport, 'send'>
  chats: Pick<ChatTransport, 'post'>
  from: MailAddress
  /** The base of links. */
  publicUrl: string
}

/** Sends one alert to one recipient. */
export function sendAlert(
  { transport, chats, from, publicUrl }: AlertSenderDeps,
  { id, recipient: to, projectId, environment }: QueuedMail,
  { alert, chat }: AlertMessage,
): Promise<void> {
  if (chat === undefined) {
    return transport.send(id, renderAlertMail(alert, { to, from, publicUrl }))
  }
  const body = chatBody(chat.kind, alert, publicUrl)
  return chats.post({ url: chat.url, body, tenant: `${projectId}/${environment}` })
}
