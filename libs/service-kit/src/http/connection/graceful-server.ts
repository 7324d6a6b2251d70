import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http'
import { type AddressInfo, Server as TcpServer } from 'node:net'
import { clientNetwork } from '../request/client-address.ts'
import { BrokenRequests, lateHead } from './broken-requests.ts'
import { UnfinishedHeads } from './unfinished-heads.ts'
import { UnfinishedRequests } from './unfinished-requests.ts'

export type ListeningServer = AsyncDisposable & { readonly port: number; readonly server: Server }

export type ListenOptions = {
  port: number
  host: string
  /** How long requests in flight may take to finish once the server closes. */
  closeGraceMs: number
  /** How long requests are still taken on connections that are open then: each answer says that it is the last. */
  lingerMs: number
  /** Whose request it is, for what one client may hold. By default the connection's address. */
  clientOf?: ((req: IncomingMessage) => string) | undefined
  /** Whose connection it is before its first head is there; `null`: of many, so that no bound holds for it. */
  clientOfAddress?: ((address: string) => string | null) | undefined
  patience?: RequestPatience | undefined
}

/** How long a request may take to arrive, from its first byte to the end of its head and of its body. */
export type RequestPatience = {
  headMs: number
  requestMs: number
  /** From here on a body needs a least rate. */
  bodyMs: number
}

export const defaultPatience: RequestPatience = {
  headMs: 15_000,
  requestMs: 60_000,
  bodyMs: 20_000,
}

const connectionAddress = ({ socket }: IncomingMessage) => socket.remoteAddress ?? ''

/**
 * Listens. Disposing stops accepting connections and ends each open one with its next answer, whose `Connection: close`
 * tells the client (RFC 9112, section 9.6); those without a request in `lingerMs` then, and what is left after the grace.
 * Closed at once, an idle connection may have a request on its way, which would find it reset.
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
    // Node's own refusal has no body: `requireHost` refuses instead.
    requireHostHeader: false,
  })
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
    // A connection kept open would outlive the close: its last answer says that it ends.
    if (closing) res.setHeader('Connection', 'close')
    unfinished.add(req, res, clientOf(req))
    listener(req, res)
  })
  server.on('clientError', (err, socket) => broken.refuse(err, socket))
  // Node would answer an expectation that it does not know, in a form of its own; it may be ignored.
  server.on('checkExpectation', (req, res) => server.emit('request', req, res))
  // The kernel drops what finds no room, and a client tries again only after 1 s, 3 s, 7 s.
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
  // HTTP's own close would end idle connections now.
  const closed = new Promise<void>((resolve) => {
    TcpServer.prototype.close.call(server, () => resolve())
  })
  let closing: NodeJS.Timeout | undefined
  const lingering = setTimeout(() => {
    // Answers that were on their way when the close began did not yet say `Connection: close`.
    closing = setInterval(() => server.closeIdleConnections(), 25)
  }, lingerMs)
  const deadline = setTimeout(() => server.closeAllConnections(), graceMs)
  await closed
  // What HTTP's own close does besides: its watch over slow requests ends.
  server.close()
  for (const timer of [lingering, closing, deadline]) clearTimeout(timer)
}
