import { type MailLocale, mailLocales } from '@surehook/contracts/http/admin/auth-settings'

/** So many languages of a header are looked at. */
const maxTags = 20

/**
 * The language of mails that fits `Accept-Language` (RFC 9110, section 12.5.4) or one tag best: the primary language
 * counts. `null` when none does, or none is asked for.
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
