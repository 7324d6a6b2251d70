import { readFileSync } from 'node:fs'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { limitKeyOf } from '../request/client-networks.ts'

export type ConnectionLimitsOptions = {
  /** Client of a connection's address, or `null` if the address stands for many clients. */
  clientOf: (address: string) => string | null
  /** The most connections of one client. */
  perClient: number
  /** The most connections in all. */
  most: number
}

/** An office behind one address has some connections for each open page. */
export const connectionsPerClient = 1_024
/** The rest of the descriptors is for upstreams, files and the process itself. */
const shareOfDescriptors = 0.75
/** What a kept connection takes of the memory of its process. */
const bytesPerConnection = 32_768
const usualDescriptors = 1_024

type Connections = { count: number; readonly idle: Set<Socket> }

/**
 * Bounds the connections of a server. A new connection beyond a limit takes the place of the one
 * that is idle for longest: of its own client, or of the client with the most connections. If that
 * client has no idle one, the new connection is closed.
 */
export class ConnectionLimits {
  readonly #options: ConnectionLimitsOptions
  readonly #byClient = new Map<string, Connections>()
  readonly #of = new WeakMap<Socket, Connections>()
  #count = 0

  constructor(server: Server, options: ConnectionLimitsOptions) {
    this.#options = options
    // Only where no client can be told from another, Node closes what comes beyond the limit.
    server.maxConnections = options.most + 1
    server.on('connection', (socket) => this.#add(socket))
  }

  /** Notes that a connection is in use until the response has ended. */
  serves({ socket }: IncomingMessage, res: ServerResponse): void {
    const { idle } = this.#of.get(socket) ?? {}
    if (idle === undefined) return
    idle.delete(socket)
    res.once('close', () => {
      if (!socket.destroyed) idle.add(socket)
    })
  }

  #add(socket: Socket): void {
    const { clientOf, perClient, most } = this.#options
    this.#count++
    socket.once('close', () => this.#count--)
    const client = clientOf(socket.remoteAddress ?? '')
    const of = client === null ? null : this.#join(limitKeyOf(client), socket)
    if (of !== null && of.count > perClient) endIdle(of, socket)
    else if (this.#count > most) endIdle(this.#largest ?? of, socket)
  }

  #join(client: string, socket: Socket): Connections {
    const of = this.#byClient.get(client) ?? { count: 0, idle: new Set() }
    this.#byClient.set(client, of)
    this.#of.set(socket, of)
    of.count++
    of.idle.add(socket)
    socket.once('close', () => {
      of.count--
      of.idle.delete(socket)
      if (of.count === 0 && this.#byClient.get(client) === of) this.#byClient.delete(client)
    })
    return of
  }

  get #largest(): Connections | null {
    let largest: Connections | null = null
    for (const of of this.#byClient.values()) {
      if (largest === null || of.count > largest.count) largest = of
    }
    return largest
  }
}

function endIdle(of: Connections | null, newest: Socket): void {
  const [longest = newest] = of?.idle ?? []
  longest.destroy()
}

/**
 * Returns the most connections that this process can keep: by its limit of file descriptors, and by
 * the memory that it may still take.
 */
export function mostConnections(): number {
  const byDescriptors = descriptorLimit() * shareOfDescriptors
  const byMemory = process.availableMemory() / 2 / bytesPerConnection
  return Math.max(connectionsPerClient / 4, Math.floor(Math.min(byDescriptors, byMemory)))
}

/** Linux shows the limit of a process there. */
function descriptorLimit(): number {
  try {
    const limits = readFileSync('/proc/self/limits', 'utf8')
    return Number(/^Max open files\s+(\d+)/m.exec(limits)?.[1] ?? usualDescriptors)
  } catch {
    return usualDescriptors
  }
}
