import { commaList } from '@surehook/service-kit/config/config'
import * as z from 'zod'

/** Allows pages of every origin. */
export const everyOrigin = '*'

const schemeAndHost = /^[a-z][a-z0-9+.-]*:\/\/[^\s/?#@*]+$/

const origin = z
  .string()
  .refine(
    (text) => text === everyOrigin || isOrigin(text),
    'must be an origin as browsers send it, such as https://app.example.com, or *',
  )

/** Parses the variable: origins separated by commas, or `*` alone. */
export const allowedOrigins = commaList.pipe(
  z
    .array(origin)
    .min(1)
    .refine((list) => list.length === 1 || !list.includes(everyOrigin), '* must stand alone'),
)

/**
 * Browsers send neither a path nor the scheme's default port, and the host in lower case (RFC 6454,
 * section 6.2).
 */
function isOrigin(text: string): boolean {
  if (!schemeAndHost.test(text)) return false
  // `URL` computes an origin for http and https only. Applications have their own schemes, such as
  // capacitor://localhost.
  return /^https?:/.test(text) ? URL.canParse(text) && new URL(text).origin === text : true
}
