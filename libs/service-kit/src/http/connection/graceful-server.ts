import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http'
import { type AddressInfo, Server as TcpServer } from 'node:net'
import { clientNetwork } from '../request/forwarded-node.ts'
import { BrokenRequests, lateHead } from './broken-requests.ts'
import { ConnectionLimits, mostConnections } from './connection-limits.ts'
import { UnfinishedHeads } from './unfinished-heads.ts'
import { UnfinishedRequests } from './unfinished-requests.ts'

export type ListeningServer = AsyncDisposable & { readonly port: number; readonly server: Server }

export type ListenOptions = {
  port: number
  host: string
  /** Milliseconds that requests in flight have to finish once the server closes. */
  closeGraceMs: number
  /**
   * Milliseconds for which open connections are still served after that. Each response says
   * `Connection: close`.
   */
  lingerMs: number
  /** Client of a request, for limits per client. Default: the address of the connection. */
  clientOf?: ((req: IncomingMessage) => string) | undefined
  /**
   * Client of a connection before its first head. `null` for an address of many clients, which has
   * no limit.
   */
  clientOfAddress?: ((address: string) => string | null) | undefined
  /**
   * The most connections of one client and in all. Default: one client may have them all, as in
   * front of a service with few clients.
   */
  connections?: { perClient: number; most: number } | undefined
  patience?: RequestPatience | undefined
}

/** Milliseconds from the first byte of a request to the end of its head and of its body. */
export type RequestPatience = {
  headMs: number
  requestMs: number
  /** Milliseconds after which a body needs a minimum rate. */
  bodyMs: number
}

export const defaultPatience: RequestPatience = {
  headMs: 15_000,
  requestMs: 60_000,
  bodyMs: 20_000,
}

const connectionAddress = ({ socket }: IncomingMessage) => socket.remoteAddress ?? ''

/**
 * Opens a listening server. Disposing it stops accepting connections and ends each open one after
 * its next response, with `Connection: close` (RFC 9112 §9.6). Connections without a request within
 * `lingerMs` close then, and all others after the grace. An idle connection is not closed at once,
 * because a request may be on its way and would be reset.
 */
export async function listenGracefully(
  listener: RequestListener,
  options: ListenOptions,
): Promise<ListeningServer> {
  const { port, host, closeGraceMs, lingerMs } = options
  const { clientOf = connectionAddress, patience = defaultPatience } = options
  const { clientOfAddress = clientNetwork } = options
  const server = createServer({
    keepAliveTimeout: 65_000,
    headersTimeout: patience.headMs,
    requestTimeout: patience.requestMs,
    connectionsCheckingInterval: 1_000,
    // Node's own refusal has no body. `requireHost` refuses instead.
    requireHostHeader: false,
  })
  const { connections = { perClient: Number.POSITIVE_INFINITY, most: mostConnections() } } = options
  const limits = new ConnectionLimits(server, { ...connections, clientOf: clientOfAddress })
  const unfinished = new UnfinishedRequests(patience.bodyMs)
  const broken = new BrokenRequests()
  const heads = new UnfinishedHeads(server, {
    clientOf: clientOfAddress,
    end: (socket) => broken.refuse(lateHead(), socket),
  })
  let closing = false
  server.on('request', (req, res) => {
    heads.complete(req.socket)
    if (!broken.admits(req, res)) return
    limits.serves(req, res)
    // A kept connection would outlive the close, so its last response announces the end.
    if (closing) res.setHeader('Connection', 'close')
    unfinished.add(req, res, clientOf(req))
    listener(req, res)
  })
  server.on('clientError', (err, socket) => broken.refuse(err, socket))
  // Node would answer an unknown expectation in its own form. RFC 9110 §10.1.1 allows ignoring it.
  server.on('checkExpectation', (req, res) => server.emit('request', req, res))
  // With a full backlog the kernel drops connections, and clients retry only after 1 s, 3 s and 7
  // s.
  server.listen({ port, host, backlog: 4_096 })
  await once(server, 'listening')
  return {
    server,
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      closing = true
      await closeServer(server, { lingerMs, graceMs: closeGraceMs })
      unfinished[Symbol.dispose]()
      heads[Symbol.dispose]()
    },
  }
}

async function closeServer(
  server: Server,
  { lingerMs, graceMs }: { lingerMs: number; graceMs: number },
): Promise<void> {
  // `http.Server.close` would close idle connections at once.
  const closed = new Promise<void>((resolve) => {
    TcpServer.prototype.close.call(server, () => resolve())
  })
  let closing: NodeJS.Timeout | undefined
  const lingering = setTimeout(() => {
    // Responses that began before the close do not have `Connection: close`.
    closing = setInterval(() => server.closeIdleConnections(), 25)
  }, lingerMs)
  const deadline = setTimeout(() => server.closeAllConnections(), graceMs)
  await closed
  // `http.Server.close` also stops its timer for slow requests.
  server.close()
  for (const timer of [lingering, closing, deadline]) clearTimeout(timer)
}
