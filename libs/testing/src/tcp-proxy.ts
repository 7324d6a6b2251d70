import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/**
 * `pass` forwards. `drop` forwards nothing and closes nothing: data waits, as in both ends' buffers
 * during packet loss, and arrives when the link passes again. New connections are accepted, but
 * reach the server only then. `reset` breaks all connections, old and new.
 */
export type LinkState = { kind: 'pass' | 'drop' | 'reset' } | { kind: 'delay'; ms: number }

/** Proxy between a client and a real server that lets a test disturb their connections. */
export class TcpProxy implements AsyncDisposable {
  #to: number
  readonly #host: string
  readonly #server = createServer({ allowHalfOpen: true }, (client) => this.#accept(client))
  readonly #pairs = new Set<Pair>()
  readonly #forgotten = new Set<Pair>()
  #state: LinkState = { kind: 'pass' }
  #taken = 0

  private constructor(to: number, host: string) {
    this.#to = to
    this.#host = host
  }

  /** Opens a proxy to port `to` of `host`. */
  static async open(to: number, host = '127.0.0.1'): Promise<TcpProxy> {
    const proxy = new TcpProxy(to, host)
    proxy.#server.listen(0, '127.0.0.1')
    await once(proxy.#server, 'listening')
    return proxy
  }

  /** Opens a proxy to the server of `url`. */
  static openTo(url: string): Promise<TcpProxy> {
    const { hostname, port } = new URL(url)
    return TcpProxy.open(Number(port), hostname)
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  /** Number of connections that clients have opened so far. */
  get connections(): number {
    return this.#taken
  }

  /** Returns `url` with the address of this proxy. */
  urlOf(url: string): string {
    const through = new URL(url)
    through.hostname = '127.0.0.1'
    through.port = String(this.port)
    return through.href
  }

  set(state: LinkState): void {
    this.#state = state
    for (const pair of this.#pairs) pair.follow(state)
  }

  /**
   * Drops all open connections for good, like a firewall that loses its connection table. New ones
   * pass.
   */
  forget(): void {
    for (const pair of this.#pairs) {
      pair.follow({ kind: 'drop' })
      this.#forgotten.add(pair)
    }
    this.#pairs.clear()
  }

  /** Sends new connections to `port` from now on. */
  leadTo(port: number): void {
    this.#to = port
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const pair of [...this.#pairs, ...this.#forgotten]) pair.reset()
    this.#server.close()
    await once(this.#server, 'close')
  }

  #accept(client: Socket): void {
    this.#taken += 1
    const to = { port: this.#to, host: this.#host }
    const pair = new Pair({ client, to, onEnd: () => this.#pairs.delete(pair) })
    this.#pairs.add(pair)
    pair.follow(this.#state)
  }
}

type PairOptions = { client: Socket; to: { port: number; host: string }; onEnd: () => void }

/** One proxied connection: the client's socket and, once connected, the server's socket. */
class Pair {
  readonly #options: PairOptions
  readonly #client: Socket
  #server: Socket | null = null
  #streams: Stream[] = []
  #state: LinkState = { kind: 'pass' }
  /**
   * True if one side closed while the link dropped everything, so that the other side does not
   * know.
   */
  #gone = false

  constructor(options: PairOptions) {
    this.#options = options
    this.#client = options.client
    this.#watch(this.#client)
    this.#client.pause()
  }

  follow(state: LinkState): void {
    this.#state = state
    if (state.kind === 'reset' || (this.#gone && state.kind !== 'drop')) {
      this.reset()
      return
    }
    if (state.kind !== 'drop' && this.#server === null) this.#connect()
    for (const stream of this.#streams) stream.follow(state)
  }

  reset(): void {
    for (const socket of [this.#client, this.#server]) {
      if (socket !== null && !socket.destroyed) socket.resetAndDestroy()
    }
    this.#options.onEnd()
  }

  #connect(): void {
    const server = connect({ ...this.#options.to, allowHalfOpen: true })
    server.setNoDelay(true)
    this.#client.setNoDelay(true)
    this.#server = server
    this.#watch(server)
    this.#streams = [new Stream(this.#client, server), new Stream(server, this.#client)]
  }

  #watch(socket: Socket): void {
    // The `close` event that follows an error ends both sockets.
    socket.on('error', () => undefined)
    socket.on('close', () => {
      if (this.#state.kind === 'drop') this.#gone = true
      else this.#endWith(socket)
    })
  }

  #endWith(socket: Socket): void {
    if (socket.errored !== null) this.reset()
    const [client, server] = [this.#client, this.#server]
    if (client.destroyed && (server?.destroyed ?? true)) this.#options.onEnd()
    else if (socket === client) server?.end()
    else client.end()
  }
}

type Piece = { at: number; data: Buffer | null }

/** One direction of a connection. Delivers pieces in order, each after the delay of the link. */
class Stream {
  readonly #from: Socket
  readonly #to: Socket
  readonly #queue: Piece[] = []
  #state: LinkState = { kind: 'pass' }
  #timer: NodeJS.Timeout | undefined

  constructor(from: Socket, to: Socket) {
    this.#from = from
    this.#to = to
    from.on('data', (data: Buffer) => this.#take(data))
    from.on('end', () => this.#take(null))
    to.on('drain', () => this.#readOn())
  }

  follow(state: LinkState): void {
    this.#state = state
    if (state.kind === 'drop') {
      clearTimeout(this.#timer)
      this.#from.pause()
      return
    }
    this.#flush()
    this.#readOn()
  }

  #readOn(): void {
    if (this.#state.kind !== 'drop' && !this.#to.writableNeedDrain) this.#from.resume()
  }

  #take(data: Buffer | null): void {
    const ms = this.#state.kind === 'delay' ? this.#state.ms : 0
    this.#queue.push({ at: Math.max(performance.now() + ms, this.#queue.at(-1)?.at ?? 0), data })
    this.#flush()
  }

  #flush(): void {
    clearTimeout(this.#timer)
    if (this.#state.kind === 'drop') return
    for (let [next] = this.#queue; next !== undefined; [next] = this.#queue) {
      const inMs = next.at - performance.now()
      if (inMs > 0) {
        this.#timer = setTimeout(() => this.#flush(), inMs)
        return
      }
      this.#queue.shift()
      if (next.data === null) this.#to.end()
      else if (!this.#to.destroyed && !this.#to.write(next.data)) this.#from.pause()
    }
  }
}
