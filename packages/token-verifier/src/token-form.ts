import { invalidToken } from './token-error.ts'

/** Longest token in characters. Longer ones do not fit into a request header. */
const maxTokenLength = 16_384

/** Refuses a token that is too long before any other work on it. */
export function requireTokenLength(token: string): void {
  if (token.length > maxTokenLength) throw invalidToken('too long')
}

/** Header members that supply keys or request other processing. Our tokens never use them. */
const refusedMembers = ['jku', 'x5u', 'jwk', 'x5c', 'zip', 'crit', 'b64']

export type ProtectedHeader = { readonly [member: string]: unknown }
export type TokenForm = { kind: 'jws' | 'jwe'; header: ProtectedHeader }

/**
 * Distinguishes a signed token (3 parts) from an encrypted one (5 parts) and reads its header.
 * Throws for any other form and for header members that our tokens never use.
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

/** Accepts one spelling per token: decoders also accept unused bits, padding and line breaks. */
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

const decoder = new TextDecoder('utf-8', { fatal: true })

/** Reads the payload of a signed token, without a check of the signature. */
export function tokenPayload(token: string): Readonly<Record<string, unknown>> {
  if (tokenForm(token).kind !== 'jws') throw invalidToken('encrypted')
  const [, part = ''] = token.split('.')
  let payload: unknown
  try {
    payload = JSON.parse(decoder.decode(Buffer.from(part, 'base64url')))
  } catch (err) {
    throw invalidToken('payload', err)
  }
  if (typeof payload !== 'object' || payload === null) throw invalidToken('payload')
  return payload as Readonly<Record<string, unknown>>
}
