import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { surplusOf } from './surplus.ts'

const everyMs = 1_000

export type UnfinishedHeadsOptions = {
  /** Client of a connection's address, or `null` if the address stands for many clients. */
  clientOf: (address: string) => string | null
  end: (socket: Socket) => void
}

/** The value is whether the connection was already there at the previous check. */
type Waiting = Map<Socket, boolean>

/**
 * Tracks connections without a complete head, and ends the oldest ones of a client with more than
 * 256. Only the address of the connection is known: a proxy's client is named in the head.
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

  /** Notes that the first head of the connection is complete. */
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
