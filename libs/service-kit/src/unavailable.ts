import { isNativeError } from 'node:util/types'
import { AppError, unavailable } from './errors.ts'

const networkCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EHOSTDOWN',
  'ENOTFOUND',
  'EAI_AGAIN',
  // The server is reachable but its certificate is not valid.
  'CERT_HAS_EXPIRED',
  'CERT_NOT_YET_VALID',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'ERR_TLS_CERT_ALTNAME_INVALID',
])

/**
 * PostgreSQL: shutting down, out of resources, read-only after a failover, or over our own time
 * limits.
 */
const sqlStates = /^(?:08...|53...|57P0[1-5]|57014|55P03|25006|40001|40P01)$/

const errorNames = new Set([
  'ClientOfflineError',
  'ClientClosedError',
  'DisconnectsClientError',
  'ConnectionTimeoutError',
  'SocketTimeoutError',
  'SocketClosedUnexpectedlyError',
  'ReconnectStrategyError',
  'KafkaJSConnectionError',
  'KafkaJSConnectionClosedError',
  'KafkaJSRequestTimeoutError',
  'KafkaJSNumberOfRetriesExceeded',
  'KafkaJSBrokerNotFound',
])

/**
 * Errors that only their message identifies: of pg (pool and client), and of a Redis that is
 * loading, full or not writable.
 */
const messages =
  /^(?:timeout exceeded when trying to connect|Connection terminated|Query read timeout|Client has encountered a connection error|(?:LOADING|OOM|READONLY|MISCONF|MASTERDOWN|CLUSTERDOWN|TRYAGAIN|NOREPLICAS|BUSY) |Cannot use a pool after calling end)/

/**
 * Returns `SERVICE_UNAVAILABLE` if `err` means that PostgreSQL, Redis, Kafka or a peer is
 * unreachable, else `null`. An `AppError` stays as it is.
 */
export function toUnavailable(err: unknown): AppError | null {
  if (!isNativeError(err) || err instanceof AppError) return null
  const code = 'code' in err && typeof err.code === 'string' ? err.code : ''
  const away =
    networkCodes.has(code) ||
    sqlStates.test(code) ||
    errorNames.has(err.name) ||
    errorNames.has(err.constructor.name) ||
    messages.test(err.message) ||
    causes(err).some((one) => toUnavailable(one) !== null)
  return away ? unavailable(err.message, err) : null
}

/** A connection attempt to several addresses fails with one error that contains all of them. */
function causes(err: Error): readonly unknown[] {
  return 'errors' in err && Array.isArray(err.errors) ? err.errors : []
}
