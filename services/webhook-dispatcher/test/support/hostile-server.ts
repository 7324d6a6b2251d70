import { once } from 'node:events'
import type { AddressInfo, Socket } from 'node:net'
import { createServer, type Server, type TLSSocket } from 'node:tls'
import type { Certificates } from '@surehook/scripts/receiver/certificates'

/** The reaction of the server to a request. */
export type Trick = (socket: TLSSocket, server: HostileServer) => void

/** A TLS server that answers with arbitrary bytes, and counts how many the peer took. */
export class HostileServer implements AsyncDisposable {
  /** The number of complete requests. */
  requests = 0
  readonly #connections: Socket[] = []
  readonly #server: Server
  readonly #sockets = new Set<TLSSocket>()
  readonly #writers: ReturnType<typeof setInterval>[] = []
  #sent = 0

  private constructor(server: Server) {
    this.#server = server
  }

  static async open(
    { key, cert }: Pick<Certificates, 'key' | 'cert'>,
    trick: Trick,
    host = '127.0.0.1',
  ): Promise<HostileServer> {
    const hostile = new HostileServer(createServer({ key, cert }))
    hostile.#server.on('connection', (socket: Socket) => hostile.#connections.push(socket))
    hostile.#server.on('secureConnection', (socket) => hostile.#receive(socket, trick))
    hostile.#server.listen(0, host)
    await once(hostile.#server, 'listening')
    return hostile
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  get url(): string {
    return `https://localhost:${this.port}/`
  }

  /** The bytes that the peer has taken, including every buffer in between. */
  get taken(): number {
    const waiting = [...this.#sockets].map((socket) => socket.writableLength)
    return this.#sent - waiting.reduce((sum, length) => sum + length, 0)
  }

  get connections(): number {
    return this.#connections.length
  }

  reset(): void {
    for (const socket of this.#connections) socket.resetAndDestroy()
  }

  get open(): number {
    return this.#sockets.size
  }

  send(socket: TLSSocket, bytes: string | Buffer): boolean {
    this.#sent += bytes.length
    return socket.write(bytes)
  }

  /** Writes as fast as the peer reads, until the connection closes. */
  flood(socket: TLSSocket, bytes: string | Buffer): void {
    const more = () => {
      while (!socket.destroyed && this.send(socket, bytes));
    }
    socket.on('drain', more)
    more()
  }

  /** Writes one byte every few milliseconds. */
  drip(socket: TLSSocket, text: string): void {
    let at = 0
    const timer = setInterval(() => {
      if (socket.destroyed || at === text.length) return clearInterval(timer)
      this.send(socket, text.charAt(at++))
    }, 5)
    this.#writers.push(timer)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const timer of this.#writers) clearInterval(timer)
    for (const socket of this.#sockets) socket.destroy()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  #receive(socket: TLSSocket, trick: Trick): void {
    this.#sockets.add(socket)
    socket.on('close', () => this.#sockets.delete(socket))
    // The peer resets the connection as a reaction.
    socket.on('error', () => {})
    let request = ''
    socket.on('data', (chunk) => {
      request += chunk.toString('latin1')
      // The request bodies of these tests end with a brace.
      if (!request.endsWith('}')) return
      request = ''
      this.requests += 1
      trick(socket, this)
    })
  }
}
