import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export type TcpProxy = AsyncDisposable & {
  readonly port: number
  /** Ends every connection and takes no more. */
  cut(): Promise<void>
  /** Takes connections again, on the same port. */
  mend(): Promise<void>
  /** Connections stay, and nothing goes through. */
  hang(): void
}

/** Stands between a client and a real server, so that a test can take the server away. */
export async function startTcpProxy(host: string, targetPort: number): Promise<TcpProxy> {
  const sockets = new Set<Socket>()
  const track = (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => socket.destroy()).on('close', () => sockets.delete(socket))
  }
  const server = createServer((client) => {
    const target = connect(targetPort, host)
    for (const socket of [client, target]) track(socket)
    client.pipe(target).on('close', () => client.destroy())
    target.pipe(client).on('close', () => target.destroy())
  })
  const listen = async (port: number) => {
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
  }
  await listen(0)
  const { port } = server.address() as AddressInfo
  const cut = async () => {
    const closed = server.listening ? new Promise((resolve) => server.close(resolve)) : undefined
    for (const socket of sockets) socket.destroy()
    await closed
  }
  return {
    port,
    cut,
    mend: () => listen(port),
    hang() {
      for (const socket of sockets) socket.unpipe().pause()
    },
    [Symbol.asyncDispose]: cut,
  }
}
