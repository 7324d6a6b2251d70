import { errorClassOf, failuresOf } from './error-class.ts'

const unknownAuthority =
  'the certificate of the receiver is of an unknown authority, or its chain is incomplete'
const selfSigned = 'the certificate of the receiver is self-signed'
const closed = 'the receiver closed the connection'
const unreachable = 'the receiver cannot be reached'

const byCode: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the receiver refused the connection',
  ECONNRESET: closed,
  EPIPE: closed,
  UND_ERR_SOCKET: closed,
  EHOSTUNREACH: unreachable,
  ENETUNREACH: unreachable,
  ETIMEDOUT: 'the receiver did not take the connection in time',
  ENOTFOUND: 'the name of the receiver does not exist',
  UND_ERR_HEADERS_OVERFLOW: 'the headers of the answer are too large',
  CERT_HAS_EXPIRED: 'the certificate of the receiver has expired',
  CERT_NOT_YET_VALID: 'the certificate of the receiver is not valid yet',
  CERT_REVOKED: 'the certificate of the receiver is revoked',
  ERR_TLS_CERT_ALTNAME_INVALID: 'the certificate of the receiver does not name the host',
  HOSTNAME_MISMATCH: 'the certificate of the receiver does not name the host',
  DEPTH_ZERO_SELF_SIGNED_CERT: selfSigned,
  SELF_SIGNED_CERT_IN_CHAIN: selfSigned,
  UNABLE_TO_GET_ISSUER_CERT: unknownAuthority,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: unknownAuthority,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: unknownAuthority,
}

/** Errors of ours, whose messages tenants may read. */
const ownCodes: ReadonlySet<unknown> = new Set([
  'NAME_UNRESOLVED',
  'SSRF_BLOCKED',
  'ANSWER_REFUSED',
])

/**
 * Says why an exchange failed in words for the tenant. Texts of OpenSSL and Node name source files,
 * addresses and functions that the tenant does not know.
 */
export function failureText(err: unknown): string {
  const failures = failuresOf(err)
  const own = failures.find(({ code }) => ownCodes.has(code))
  if (own !== undefined) return String(own.message)
  const known = failures.map(({ code }) => byCode[String(code)]).find((text) => text !== undefined)
  if (known !== undefined) return known
  if (errorClassOf(err) === 'tls') return 'the TLS handshake with the receiver failed'
  if (failures.some(({ name }) => name === 'HTTPParserError')) return 'the answer is no valid HTTP'
  if (failures.some(({ syscall }) => syscall !== undefined)) {
    return 'the connection to the receiver failed'
  }
  const inner = failures[1] ?? failures[0]
  return typeof inner?.message === 'string' ? inner.message : String(err)
}
