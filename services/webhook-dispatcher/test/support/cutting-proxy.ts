import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A TCP proxy that can forget its connections as a firewall does: without a word to either side. */
export class CuttingProxy implements AsyncDisposable {
  readonly #to: number
  readonly #server = createServer((client) => this.#accept(client))
  readonly #pairs: (readonly [Socket, Socket])[] = []
  #held: (() => void)[] | null = null

  private constructor(to: number) {
    this.#to = to
  }

  static async open(to: number): Promise<CuttingProxy> {
    const proxy = new CuttingProxy(to)
    proxy.#server.listen(0, '127.0.0.1')
    await once(proxy.#server, 'listening')
    return proxy
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  /** That were ever made. */
  get connections(): number {
    return this.#pairs.length
  }

  /** New connections are taken, and lead nowhere until they are let go. */
  hold(): void {
    this.#held = []
  }

  letGo(): void {
    for (const join of this.#held ?? []) join()
    this.#held = null
  }

  /** Nothing passes any more on the connections that there are; new ones pass. */
  cut(): void {
    for (const [a, b] of this.#pairs) {
      for (const socket of [a, b]) socket.unpipe().on('data', () => {})
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#pairs.flat()) socket.destroy()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  #accept(client: Socket): void {
    const server = connect(this.#to, '127.0.0.1')
    this.#pairs.push([client, server])
    const join = () => {
      // One side hangs up on the other's behalf.
      client.on('error', () => server.destroy()).pipe(server)
      server.on('error', () => client.destroy()).pipe(client)
    }
    if (this.#held === null) join()
    else this.#held.push(join)
  }
}
