import type { ErrorClass } from '@surehook/contracts/events'

const byCode: Readonly<Record<string, ErrorClass>> = {
  SSRF_BLOCKED: 'ssrf_blocked',
  NAME_UNRESOLVED: 'dns',
  ENOTFOUND: 'dns',
  EAI_AGAIN: 'dns',
  ENODATA: 'dns',
  ESERVFAIL: 'dns',
  ETIMEOUT: 'dns',
  ETIMEDOUT: 'timeout',
  ABORT_ERR: 'timeout',
  UND_ERR_ABORTED: 'timeout',
  UND_ERR_CONNECT_TIMEOUT: 'timeout',
  UND_ERR_HEADERS_TIMEOUT: 'timeout',
  UND_ERR_BODY_TIMEOUT: 'timeout',
  UND_ERR_HEADERS_OVERFLOW: 'http',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'http',
  UND_ERR_RES_EXCEEDED_MAX_SIZE: 'http',
  ANSWER_REFUSED: 'http',
  EPROTO: 'tls',
}

const tlsCode =
  /^(ERR_TLS|ERR_SSL|CERT_|SELF_SIGNED|DEPTH_ZERO|UNABLE_TO_|HOSTNAME_MISMATCH|INVALID_CA|CRL_)/

/**
 * The inspected properties of an error. There is no `instanceof`, because socket errors may come
 * from another realm.
 */
export type Failure = {
  name?: unknown
  code?: unknown
  message?: unknown
  syscall?: unknown
  cause?: unknown
  errors?: unknown
}

/** Classifies a failed exchange. Failures of the socket itself are `refused`. */
export function errorClassOf(err: unknown): ErrorClass {
  for (const at of failuresOf(err)) {
    if (at.name === 'TimeoutError' || at.name === 'AbortError') return 'timeout'
    // Some errors of undici's parser have no code.
    if (at.name === 'HTTPParserError') return 'http'
    const code = typeof at.code === 'string' ? at.code : ''
    const known = byCode[code]
    if (known) return known
    if (tlsCode.test(code)) return 'tls'
  }
  return 'refused'
}

/** Returns the error, its cause, the cause of that, and so on. */
export function failuresOf(err: unknown): Failure[] {
  const failures: Failure[] = []
  for (let at = asFailure(err); at !== null; at = innerOf(at)) failures.push(at)
  return failures
}

/** Returns the cause, or the first failure if several addresses were tried. */
function innerOf({ cause, errors }: Failure): Failure | null {
  return asFailure(cause) ?? asFailure(Array.isArray(errors) ? errors[0] : undefined)
}

function asFailure(err: unknown): Failure | null {
  return typeof err === 'object' && err !== null ? err : null
}
