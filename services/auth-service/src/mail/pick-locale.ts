import { type MailLocale, mailLocales } from '@surehook/contracts/http/admin/auth-settings'

/** The most languages of a header that are read. */
const maxTags = 20

/**
 * Returns the language of mails that best matches `Accept-Language` (RFC 9110, section 12.5.4) or
 * one tag. It compares primary languages only. `null` if none matches or none is given.
 */
export function pickLocale(acceptLanguage: string | null | undefined): MailLocale | null {
  const wanted = (acceptLanguage ?? '').split(',', maxTags).map(readRange)
  const best = wanted.filter(({ weight }) => weight > 0).toSorted((a, b) => b.weight - a.weight)
  return (
    best.map(({ language }) => mailLocales.find((one) => one === language)).find(Boolean) ?? null
  )
}

function readRange(range: string): { language: string; weight: number } {
  const [tag = '', ...parameters] = range.split(';')
  const [language = ''] = tag.trim().toLowerCase().split('-')
  const weight = parameters.map((one) => /^\s*q\s*=\s*([\d.]+)\s*$/i.exec(one)?.[1]).find(Boolean)
  return { language, weight: weight === undefined ? 1 : Number(weight) || 0 }
}
