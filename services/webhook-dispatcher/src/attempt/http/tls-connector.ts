import { isIP } from 'node:net'
import { connect, type SecureContext, type TLSSocket } from 'node:tls'
import type { AddressGuard } from '@surehook/service-kit/outbound/address-guard'
import type { buildConnector } from 'undici'
import { TimeLimit } from '../time-limit.ts'
import { filterAnswers } from './answer-filter.ts'

export type TlsConnectorOptions = {
  guard: AddressGuard
  secureContext: SecureContext
  /** The limit for connecting: from DNS to the end of the TLS handshake. */
  timeoutMs: number
}

/** Proxies and firewalls drop connections that are idle for longer, often silently. */
const keepAliveProbeMs = 30_000

/**
 * Connects to one origin for one tenant, and offers only HTTP/1.1. Address literals are checked
 * separately, because `https://127.0.0.1/` needs no lookup and so bypasses the lookup hook.
 */
export function tlsConnector(
  { guard, secureContext, timeoutMs }: TlsConnectorOptions,
  tenant: string,
): buildConnector.connector {
  const settings = {
    secureContext,
    ALPNProtocols: ['http/1.1'],
    lookup: guard.lookupFor(tenant),
    // Node's default of 250 ms would abandon a distant address, or one whose first packet was lost.
    autoSelectFamilyAttemptTimeout: Math.max(250, timeoutMs / 4),
    // The largest TLS record.
    highWaterMark: 16_384,
  }
  let session: Buffer | undefined
  return ({ hostname, port, protocol }, callback) => {
    try {
      if (protocol !== 'https:') throw new Error('only HTTPS is delivered to')
      guard.checkLiteral(hostname)
    } catch (err) {
      callback(err as Error, null)
      return
    }
    const servername = serverNameOf(hostname)
    const target = { host: hostname, port: Number(port || 443), servername }
    const socket = connect({ ...settings, ...target, session })
    socket.setNoDelay(true).setKeepAlive(true, keepAliveProbeMs)
    socket.on('session', (latest) => {
      session = latest
    })
    whenConnected(socket, timeoutMs, callback)
  }
}

/** The name for SNI: without the dot of the root, and none for an address (RFC 6066, section 3). */
export const serverNameOf = (hostname: string): string =>
  isIP(hostname) === 0 ? hostname.replace(/\.$/, '') : ''

function whenConnected(
  socket: TLSSocket,
  timeoutMs: number,
  callback: buildConnector.Callback,
): void {
  const limit = new TimeLimit(timeoutMs, () => socket.destroy(notConnected(timeoutMs)))
  let report: buildConnector.Callback | null = callback
  const end: buildConnector.Callback = (...outcome) => {
    limit[Symbol.dispose]()
    report?.(...outcome)
    report = null
  }
  socket.on('error', (err) => end(err, null))
  socket.once('secureConnect', () => {
    filterAnswers(socket)
    end(null, socket)
  })
}

const notConnected = (timeoutMs: number) =>
  Object.assign(new Error(`no connection within ${timeoutMs} ms`), { name: 'TimeoutError' })
