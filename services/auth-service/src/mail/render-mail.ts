import type { AuthSettings } from '@surehook/contracts/http/admin/auth-settings'
import { mailTexts } from './mail-texts.ts'
import type { MailTemplate } from './outbox.ts'

export type MailAddress = { name: string; address: string }

export type RenderedMail = {
  from: MailAddress
  to: string
  subject: string
  text: string
  html: string
}

export type MailContent = {
  template: MailTemplate
  to: string
  code: string
  /** How long the code is valid from now, in milliseconds. */
  validMs: number
}

/** Renders the mail by the environment's settings; `from` is the default sender. */
export function renderMail(
  { template, to, code, validMs }: MailContent,
  settings: AuthSettings['mail'],
  from: MailAddress,
): RenderedMail {
  const words = mailTexts[settings.locale][template]
  const validity = words.validity(Math.max(1, Math.round(validMs / 60_000)))
  const sender = {
    name: settings.senderName ?? from.name,
    address: settings.senderAddress ?? from.address,
  }
  const subject = settings[`${template}Subject`] ?? words.subject
  const { greeting, intro, otherwise } = words
  const paragraphs = [greeting, intro, code, validity, ...otherwise]
  const signed = sender.name === '' ? paragraphs : [...paragraphs, sender.name]
  return {
    from: sender,
    to,
    subject,
    text: `${signed.join('\n\n')}\n`,
    html: toHtml({ lang: settings.locale, subject, paragraphs: signed, code }),
  }
}

type HtmlParts = { lang: string; subject: string; paragraphs: readonly string[]; code: string }

const codeStyle = 'font:bold 28px/1.4 monospace;letter-spacing:6px'

function toHtml({ lang, subject, paragraphs, code }: HtmlParts): string {
  const body = paragraphs.map((paragraph) =>
    paragraph === code
      ? `<p style="${codeStyle}">${escapeHtml(code)}</p>`
      : `<p>${escapeHtml(paragraph)}</p>`,
  )
  return `<!doctype html>
<html lang="${lang}">
<head><meta charset="utf-8"><title>${escapeHtml(subject)}</title></head>
<body style="font:16px/1.5 sans-serif;color:#222">
${body.join('\n')}
</body>
</html>
`
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

const escapeHtml = (text: string) => text.replace(/[&<>"']/g, (sign) => entities[sign] ?? sign)

/** Parses `Name <a@b>` or `a@b`. */
export function parseMailAddress(text: string): MailAddress {
  const [, name = '', address] = /^\s*"?(.*?)"?\s*<([^<>]+)>\s*$/.exec(text) ?? []
  return { name, address: (address ?? text).trim() }
}
