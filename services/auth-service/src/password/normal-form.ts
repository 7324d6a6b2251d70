/**
 * The form in which a password is measured, hashed and compared: spaces as U+0020, then NFC, as
 * OpaqueString (RFC 8265, section 4.2) maps them. Keyboards send one text in several forms.
 */
export const normalForm = (password: string): string =>
  password.replace(/\p{Zs}/gu, ' ').normalize('NFC')
