/**
 * Normalises a password before it is measured, hashed or compared: spaces become U+0020, then NFC,
 * as OpaqueString does (RFC 8265, section 4.2). Keyboards encode the same text in several ways.
 */
export const normalForm = (password: string): string =>
  password.replace(/\p{Zs}/gu, ' ').normalize('NFC')
