import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import {
  createSecureServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type ServerHttp2Session,
} from 'node:http2'
import { createServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import type { Certificates } from '@surehook/scripts/receiver/certificates'

type Request = IncomingMessage | Http2ServerRequest
/** What the server gives for either protocol has these in common. */
export type Response = Pick<
  ServerResponse,
  'end' | 'socket' | 'write' | 'writeEarlyHints' | 'writeHead'
>
/** `nth` counts the requests whose head has come, from 1. */
export type Behaviour = (res: Response, nth: number) => void

export type Speaks = 'HTTP/1.1 alone' | 'HTTP/2 and HTTP/1.1' | 'HTTP/2 alone'

/** A real HTTPS server that speaks the chosen protocols and answers with `behave`. */
export class ProtocolReceiver implements AsyncDisposable {
  behave: Behaviour = (res) => void res.writeHead(204).end()
  /** The HTTP versions of the requests, in the order in which their heads arrived. */
  readonly versions: string[] = []
  readonly sockets: Socket[] = []
  readonly sessions: ServerHttp2Session[] = []
  readonly #server: ReturnType<typeof createServer> | ReturnType<typeof createSecureServer>

  private constructor({ key, cert }: Certificates, speaks: Speaks) {
    const handle = (req: Request, res: ServerResponse | Http2ServerResponse) => {
      this.versions.push(req.httpVersion)
      this.behave(res as unknown as Response, this.versions.length)
    }
    if (speaks === 'HTTP/1.1 alone') this.#server = createServer({ key, cert }, handle)
    else {
      const allowHTTP1 = speaks === 'HTTP/2 and HTTP/1.1'
      this.#server = createSecureServer({ key, cert, allowHTTP1 }, handle)
      this.#server.on('session', (session: ServerHttp2Session) => this.sessions.push(session))
    }
    this.#server.on('connection', (socket: Socket) => this.sockets.push(socket))
  }

  static async open(certificates: Certificates, speaks: Speaks): Promise<ProtocolReceiver> {
    const receiver = new ProtocolReceiver(certificates, speaks)
    receiver.#server.listen(0, '127.0.0.1')
    await once(receiver.#server, 'listening')
    return receiver
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  /** Resets every connection. */
  reset(): void {
    for (const socket of this.sockets) socket.resetAndDestroy()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.sockets) socket.destroy()
    await new Promise((resolve) => this.#server.close(resolve))
  }
}
