import { invalidToken } from './token-error.ts'

/** As it can be in a request's header. */
const maxTokenLength = 16_384

/** Before anything is made of a token: what is longer is none. */
export function requireTokenLength(token: string): void {
  if (token.length > maxTokenLength) throw invalidToken('too long')
}

/** Ways to bring keys or other processing along with a token; we never use them. */
const refusedMembers = ['jku', 'x5u', 'jwk', 'x5c', 'zip', 'crit', 'b64']

export type ProtectedHeader = { readonly [member: string]: unknown }
export type TokenForm = { kind: 'jws' | 'jwe'; header: ProtectedHeader }

/**
 * Tells a signed token (3 parts) from an encrypted one (5), and reads its header. Anything else is refused,
 * as is every header that asks for more than our tokens ever do.
 */
export function tokenForm(token: string): TokenForm {
  requireTokenLength(token)
  const parts = token.split('.')
  if (parts.length !== 3 && parts.length !== 5) throw invalidToken('neither a JWS nor a JWE')
  if (!parts.every(isCanonical)) throw invalidToken('not in canonical base64url')
  const header = readHeader(parts[0] ?? '')
  const refused = refusedMembers.filter((member) => Object.hasOwn(header, member))
  if (refused.length > 0) throw invalidToken(`header with ${refused.join(', ')}`)
  return { kind: parts.length === 3 ? 'jws' : 'jwe', header }
}

/** One token has one spelling: decoders also take text with unused bits, padding or line breaks. */
function isCanonical(part: string): boolean {
  return part !== '' && Buffer.from(part, 'base64url').toString('base64url') === part
}

function readHeader(part: string): ProtectedHeader {
  let header: unknown
  try {
    header = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'))
  } catch (err) {
    throw invalidToken('header is no JSON', err)
  }
  if (typeof header !== 'object' || header === null) throw invalidToken('header is no object')
  return header as ProtectedHeader
}
