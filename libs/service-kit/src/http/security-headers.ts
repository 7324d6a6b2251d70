/**
 * Responses are data: browsers must not execute, frame or sniff them, nor send their URL as a
 * referrer.
 */
export const securityHeaders: Readonly<Record<string, string>> = {
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
}

const yearS = 31_536_000

/** For public servers on https: browsers then never try http. */
export const transportSecurity = (
  publicUrl: string | undefined,
): Readonly<Record<string, string>> =>
  publicUrl?.startsWith('https:') ? { 'Strict-Transport-Security': `max-age=${yearS}` } : {}
