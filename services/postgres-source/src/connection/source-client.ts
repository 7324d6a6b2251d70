import { Socket } from 'node:net'
import type { AddressGuard } from '@surehook/service-kit/outbound/address-guard'
import type { ClientConfig, Connection } from 'pg'
import { sessionSettings } from '../rows/value-texts.ts'
import { limitMessages, type MessageLimit } from './limit-messages.ts'
import type { SourceAddress } from './source-url.ts'

export type SourceConnection = {
  address: SourceAddress
  /** Certificates in PEM; absent: those that Node trusts. */
  ca?: string | undefined
  /** Project and environment, whose lookups of names delay no others. */
  owner: string
  limit: MessageLimit
}

const connectTimeoutMs = 5_000
const statementTimeoutMs = 10_000

/**
 * The options of every connection to a source. Its host is looked up when it connects, and each
 * address of it must be allowed.
 *
 * @throws AddressBlockedError if the host is an address that is not allowed
 */
export function sourceClient(
  { address, ca, owner, limit }: SourceConnection,
  guard: AddressGuard,
): ClientConfig {
  const { host, port, user, password, database, sslMode } = address
  guard.checkLiteral(host)
  const settings = Object.entries(sessionSettings).map(
    ([name, value]) => `-c ${name}=${value.replaceAll(' ', '\\ ')}`,
  )
  const verifies = sslMode === 'verify-full'
  return {
    ...{ host, port, user, password, database },
    application_name: 'surehook-source',
    options: settings.join(' '),
    ssl: sslMode === 'disable' ? false : { rejectUnauthorized: verifies, ...(ca && { ca }) },
    // `pg` calls it as a method of its connection, which has another stream once it uses TLS.
    stream(this: Connection) {
      const socket = guardedSocket(guard, owner)
      if (sslMode === 'disable') limitMessages(socket, limit)
      else this.once('sslconnect', () => limitMessages(this.stream, limit))
      return socket
    },
    connectionTimeoutMillis: connectTimeoutMs,
    query_timeout: statementTimeoutMs,
    keepAlive: true,
  }
}

/** A socket that connects to addresses which the guard allows. */
function guardedSocket(guard: AddressGuard, owner: string): Socket {
  const socket = new Socket()
  const connect = socket.connect.bind(socket)
  const lookup = guard.lookupFor(owner)
  socket.connect = (port: unknown, host: unknown) =>
    connect({ port: Number(port), host: String(host), lookup, autoSelectFamily: true })
  return socket
}
