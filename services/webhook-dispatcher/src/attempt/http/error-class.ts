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

/** What is looked at in an error: those of sockets may come from another realm, so no `instanceof`. */
type Failure = { name?: unknown; code?: unknown; cause?: unknown; errors?: unknown }

/** The closed class of a failed exchange; the socket's own failures are `refused`. */
export function errorClassOf(err: unknown): ErrorClass {
  for (let at = asFailure(err); at !== null; at = innerOf(at)) {
    if (at.name === 'TimeoutError' || at.name === 'AbortError') return 'timeout'
    // Not all of undici's parser have their code.
    if (at.name === 'HTTPParserError') return 'http'
    const code = typeof at.code === 'string' ? at.code : ''
    const known = byCode[code]
    if (known) return known
    if (tlsCode.test(code)) return 'tls'
  }
  return 'refused'
}

/** The cause, or, of several addresses that were tried, the first one's failure. */
function innerOf({ cause, errors }: Failure): Failure | null {
  return asFailure(cause) ?? asFailure(Array.isArray(errors) ? errors[0] : undefined)
}

function asFailure(err: unknown): Failure | null {
  return typeof err === 'object' && err !== null ? err : null
}
