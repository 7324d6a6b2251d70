import { once } from 'node:events'
import { connect as connectTcp, type Socket } from 'node:net'
import { connect as connectTls, type TLSSocket } from 'node:tls'

export type TlsPlace = {
  what: string
  host: string
  port: number
  /** The server speaks TLS only after PostgreSQL's SSLRequest. */
  isPostgres?: true
}

const timeoutMs = 5_000
/** PostgreSQL's SSLRequest message. */
const sslRequest = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47])

/**
 * Expiry date of a server's certificate. It does not verify the certificate: the other checks
 * connect and report that.
 */
export async function expiryAt(place: TlsPlace): Promise<Date> {
  const signal = AbortSignal.timeout(timeoutMs)
  const tcp = connectTcp({ host: place.host, port: place.port })
  try {
    await once(tcp, 'connect', { signal })
    if (place.isPostgres) await askPostgres(tcp, signal)
    return await expiryOf(tcp, place.host, signal)
  } finally {
    tcp.destroy()
  }
}

async function askPostgres(tcp: Socket, signal: AbortSignal): Promise<void> {
  tcp.write(sslRequest)
  const [answer] = (await once(tcp, 'data', { signal })) as [Buffer]
  if (answer.toString('latin1') !== 'S') throw new Error('it does not speak TLS')
}

async function expiryOf(tcp: Socket, host: string, signal: AbortSignal): Promise<Date> {
  const tls: TLSSocket = connectTls({ socket: tcp, servername: host, rejectUnauthorized: false })
  try {
    await once(tls, 'secureConnect', { signal })
    return new Date(tls.getPeerCertificate().valid_to)
  } finally {
    tls.destroy()
  }
}
