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
  // It is there, and its certificate is not what it has to be.
  'CERT_HAS_EXPIRED',
  'CERT_NOT_YET_VALID',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'ERR_TLS_CERT_ALTNAME_INVALID',
])

/** PostgreSQL: shutting down, out of resources, read-only after a failover, our own time limits. */
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

/** What is said only in words: by pg (pool and client), by a Redis that loads, is full, or is not the one to write to. */
const messages =
  /^(?:timeout exceeded when trying to connect|Connection terminated|Query read timeout|Client has encountered a connection error|(?:LOADING|OOM|READONLY|MISCONF|MASTERDOWN|CLUSTERDOWN|TRYAGAIN|NOREPLICAS|BUSY) |Cannot use a pool after calling end)/

/**
 * `SERVICE_UNAVAILABLE` when `err` says that PostgreSQL, Redis, Kafka or a peer is away, else `null`.
 * An `AppError` is never changed.
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

/** A connection tried on several addresses fails with one error that holds them all. */
function causes(err: Error): readonly unknown[] {
  return 'errors' in err && Array.isArray(err.errors) ? err.errors : []
}
