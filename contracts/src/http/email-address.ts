import * as z from 'zod'

const atom = /[a-z0-9!#$%&'*+/=?^_`{|}~-]+/.source
const label = /[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?/.source
/** Begins with a letter, so that it is no IPv4 address. Includes `xn--…` (RFC 3492). */
const topLevel = /[a-z][a-z0-9-]{0,61}[a-z0-9]/.source

/**
 * An address of RFC 5321 whose local part is a dot-atom of RFC 5322, with 64 octets at most. A quoted
 * local part, comments, address literals and letters beyond ASCII are refused: mail servers and
 * programs read them differently.
 */
const form = new RegExp(`^(?=[^@]{1,64}@)${atom}(?:\\.${atom})*@(?:${label}\\.)+${topLevel}$`, 'i')

/** The only rule for e-mail addresses. */
export const emailAddress = z
  .string()
  .max(254, { abort: true })
  .pipe(
    z.email({
      pattern: form,
      error: 'must be an e-mail address, without quotes, comments and letters beyond ASCII',
    }),
  )
