import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** Stands between the service and PostgreSQL, so that a test can take it away. */
export type DatabaseProxy = AsyncDisposable & {
  readonly url: string
  /** Connections are refused, and those that are open end. */
  takeAway(): void
  giveBack(): void
}

export async function openDatabaseProxy(databaseUrl: string): Promise<DatabaseProxy> {
  const target = new URL(databaseUrl)
  const sockets = new Set<Socket>()
  let away = false
  const server = createServer((client) => {
    if (away) {
      client.destroy()
      return
    }
    const upstream = connect(Number(target.port), target.hostname)
    for (const [socket, peer] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket)
      socket.pipe(peer)
      socket.on('error', () => peer.destroy())
      socket.on('close', () => {
        sockets.delete(socket)
        peer.destroy()
      })
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = new URL(databaseUrl)
  // That of a container's may be another.
  url.hostname = '127.0.0.1'
  url.port = String((server.address() as AddressInfo).port)
  const end = () => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    url: url.href,
    takeAway() {
      away = true
      end()
    },
    giveBack() {
      away = false
    },
    async [Symbol.asyncDispose]() {
      server.close()
      end()
      await once(server, 'close')
    },
  }
}
