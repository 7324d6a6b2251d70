import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { surplusOf } from './surplus.ts'

const everyMs = 1_000

export type UnfinishedHeadsOptions = {
  /** The client of a connection's address; `null` where one address stands for many clients. */
  clientOf: (address: string) => string | null
  end: (socket: Socket) => void
}

/** Whether it was there at the last look already: what arrived since then has been read. */
type Waiting = Map<Socket, boolean>

/**
 * The connections that have not sent a whole head yet. Ends the oldest ones of a client that has more than 256. Only the
 * address of the connection is known of them: what a proxy would tell of its client is in the head.
 */
export class UnfinishedHeads implements Disposable {
  readonly #options: UnfinishedHeadsOptions
  readonly #byClient = new Map<string, Waiting>()
  readonly #removals = new WeakMap<Socket, () => void>()
  readonly #timer = setInterval(() => this.#look(), everyMs).unref()

  constructor(server: Server, options: UnfinishedHeadsOptions) {
    this.#options = options
    server.on('connection', (socket) => this.#add(socket))
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer)
  }

  #add(socket: Socket): void {
    const client = this.#options.clientOf(socket.remoteAddress ?? '')
    if (client === null) return
    const waiting: Waiting = this.#byClient.get(client) ?? new Map<Socket, boolean>()
    this.#byClient.set(client, waiting)
    waiting.set(socket, false)
    const remove = () => {
      waiting.delete(socket)
      if (waiting.size === 0 && this.#byClient.get(client) === waiting)
        this.#byClient.delete(client)
    }
    this.#removals.set(socket, remove)
    socket.once('close', remove)
  }

  /** Its first head has arrived. */
  complete(socket: Socket): void {
    const remove = this.#removals.get(socket)
    if (remove === undefined) return
    this.#removals.delete(socket)
    socket.off('close', remove)
    remove()
  }

  #look(): void {
    for (const waiting of this.#byClient.values()) {
      const late: Socket[] = []
      for (const [socket, wasThere] of waiting) {
        if (wasThere) late.push(socket)
        else waiting.set(socket, true)
      }
      for (const socket of surplusOf(late)) this.#options.end(socket)
    }
  }
}
