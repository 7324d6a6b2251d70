/** Answers are data: no browser is to run them, frame them, guess what they are or tell others where it got them. */
export const securityHeaders: Readonly<Record<string, string>> = {
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
}

const yearS = 31_536_000

/** For whoever is reached by https from outside: browsers then never try without. */
export const transportSecurity = (
  publicUrl: string | undefined,
): Readonly<Record<string, string>> =>
  publicUrl?.startsWith('https:') ? { 'Strict-Transport-Security': `max-age=${yearS}` } : {}
