import type { WebhookAlert } from '@surehook/contracts/events/webhook-alert'
import { type MailAddress, paragraphHtml, type RenderedMail, toHtml } from '../mail/render-mail.ts'
import { alertText } from './alert-text.ts'

export type AlertMail = { to: string; from: MailAddress; publicUrl: string }

/** Renders the mail to people of an environment. It comes from the installation, not the project. */
export function renderAlertMail(
  alert: WebhookAlert,
  { to, from, publicUrl }: AlertMail,
): RenderedMail {
  const { title: subject, webhooks, more } = alertText(alert, publicUrl)
  const paragraphs = [
    ...webhooks.flatMap(({ name, id, facts, link }) => [`${name} (${id}): ${facts}`, { link }]),
    ...(more === null ? [] : [more]),
  ]
  const lines = paragraphs.map((one) => (typeof one === 'string' ? one : one.link))
  const html = paragraphs.map(paragraphHtml).join('\n')
  const text = `${subject}\n\n${lines.join('\n')}\n`
  return { from, to, subject, text, html: toHtml({ lang: 'en', subject, html }) }
}
