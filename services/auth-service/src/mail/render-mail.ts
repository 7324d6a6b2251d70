import {
  type AuthSettings,
  type MailLocale,
  mailLocales,
} from '@surehook/contracts/http/admin/auth-settings'
import { fillLink } from '@surehook/contracts/http/link-template'
import { mailTexts } from './mail-texts.ts'
import type { CodeTemplate, MailTemplate } from './texts/mail-text.ts'

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
  /** Empty in a notice. */
  code: string
  /** The user's locale. One without templates counts as none. */
  locale: string | null
  /** How long the code is valid from now on, in milliseconds. */
  validMs: number
}

type Settings = AuthSettings['mail']

/** Renders the mail with the environment's settings. `from` is the sender if they name none. */
export function renderMail(
  content: MailContent,
  settings: Settings,
  from: MailAddress,
): RenderedMail {
  const lang = localeOf(content.locale) ?? settings.locale
  const sender = {
    name: settings.senderName ?? from.name,
    address: settings.senderAddress ?? from.address,
  }
  const { subject, paragraphs } = bodyOf(content, settings, lang)
  const written = [mailTexts[lang].greeting, ...paragraphs]
  const signed = sender.name === '' ? written : [...written, sender.name]
  return {
    from: sender,
    to: content.to,
    subject,
    text: `${signed.map(toText).join('\n\n')}\n`,
    html: toHtml({ lang, subject, html: signed.map(paragraphHtml).join('\n') }),
  }
}

const localeOf = (text: string | null): MailLocale | undefined =>
  mailLocales.find((locale) => locale === text)

type Paragraph = string | { code: string } | { link: string }
type Body = { subject: string; paragraphs: readonly Paragraph[] }

function bodyOf(content: MailContent, settings: Settings, lang: MailLocale): Body {
  const { template } = content
  const { projectName } = settings
  if (template === 'verification' || template === 'recovery') {
    return codeBody({ ...content, template }, settings, lang)
  }
  const { subject, paragraphs } = mailTexts[lang][template]
  return { subject: named(subject, projectName), paragraphs: paragraphs(projectName) }
}

function codeBody(
  { template, to, code, validMs }: MailContent & { template: CodeTemplate },
  settings: Settings,
  lang: MailLocale,
): Body {
  const { nouns, [template]: words } = mailTexts[lang]
  const { projectName, confirmUrl, resetUrl } = settings
  const url = template === 'verification' ? confirmUrl : resetUrl
  const noun = url === null ? nouns.code : nouns.link
  const own = settings[`${template}Subject`]
  return {
    subject: own ?? named(words.subject(noun), projectName),
    paragraphs: [
      words.intro(noun, projectName),
      url === null ? { code } : { link: fillLink(url, { code, email: to }) },
      words.validity(Math.max(1, Math.round(validMs / 60_000))),
      ...words.otherwise(noun),
    ],
  }
}

const named = (subject: string, projectName: string | null) =>
  projectName === null ? subject : `${projectName}: ${subject}`

function toText(paragraph: Paragraph): string {
  if (typeof paragraph === 'string') return paragraph
  return 'code' in paragraph ? paragraph.code : paragraph.link
}

const codeStyle = (code: string) =>
  code.length > 6
    ? 'font:bold 18px/1.4 monospace;letter-spacing:1px'
    : 'font:bold 28px/1.4 monospace;letter-spacing:6px'

/** Returns the paragraph with its text escaped. */
export function paragraphHtml(paragraph: Paragraph): string {
  const text = escapeHtml(toText(paragraph))
  if (typeof paragraph === 'string') return `<p>${text}</p>`
  return 'code' in paragraph
    ? `<p style="${codeStyle(paragraph.code)}">${text}</p>`
    : `<p><a href="${text}">${text}</a></p>`
}

type HtmlParts = { lang: string; subject: string; html: string }

export function toHtml({ lang, subject, html }: HtmlParts): string {
  return `<!doctype html>
<html lang="${lang}">
<head><meta charset="utf-8"><title>${escapeHtml(subject)}</title></head>
<body style="font:16px/1.5 sans-serif;color:#222">
${html}
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
