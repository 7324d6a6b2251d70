import { once } from 'node:events'
import { Agent, get, type RequestListener } from 'node:http'
import { connect, type Socket } from 'node:net'
import type { ListenOptions } from '../src/http/connection/graceful-server.ts'
import { listenGracefully } from '../src/http/connection/graceful-server.ts'

/** A server, and clients with an address each that keep their connections. */
export class HeldConnections implements AsyncDisposable {
  /** Resolves with a request for `/never`, which gets no answer. */
  readonly asked = Promise.withResolvers<void>()
  sockets: Socket[] = []
  readonly #server

  constructor(connections: NonNullable<ListenOptions['connections']>) {
    const answer: RequestListener = (req, res) => {
      if (req.url === '/never') this.asked.resolve()
      else res.end('ok')
    }
    this.#server = listenGracefully(answer, {
      ...{ port: 0, host: '127.0.0.1', closeGraceMs: 0, lingerMs: 0, connections },
    })
  }

  get kept(): number {
    return this.sockets.filter(({ destroyed }) => !destroyed).length
  }

  /** Opens a connection, sends `head`, and keeps it. */
  async connectFrom(localAddress: string, head = ''): Promise<Socket> {
    const { port } = await this.#server
    const socket = connect({ port, host: '127.0.0.1', localAddress })
    socket.on('error', () => undefined)
    this.sockets.push(socket)
    await once(socket, 'connect')
    socket.write(head)
    return socket
  }

  /** Sends a request on a connection of its own, and returns the status of its answer. */
  async statusFor(localAddress: string): Promise<number | undefined> {
    const { port } = await this.#server
    const agent = new Agent()
    const req = get({ port, host: '127.0.0.1', localAddress, agent })
    const [res] = await once(req, 'response')
    res.resume()
    await once(res, 'end')
    agent.destroy()
    return res.statusCode
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.sockets) socket.destroy()
    await (await this.#server)[Symbol.asyncDispose]()
  }
}
