import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { pipeline } from 'node:stream'
import { createServer } from 'node:tls'
import type { Certificates } from '@surehook/scripts/receiver/certificates'

export type TlsFront = AsyncDisposable & { readonly url: string }

/** A TLS proxy at localhost, in front of an HTTP server on this machine. */
export async function openTlsFront(
  { cert, key }: Certificates,
  { port = 0, to }: { port?: number; to: number },
): Promise<TlsFront> {
  const sockets = new Set<Socket>()
  const server = createServer({ cert, key }, (client) => {
    const behind = connect(to, '127.0.0.1')
    for (const socket of [client, behind]) sockets.add(socket)
    // Both sides learn of an error by the end of their connection.
    pipeline(client, behind, client, () => {
      for (const socket of [client, behind]) sockets.delete(socket.destroy())
    })
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('not a TCP server')
  return {
    url: `https://localhost:${address.port}`,
    async [Symbol.asyncDispose]() {
      server.close()
      for (const socket of sockets) socket.destroy()
      await once(server, 'close')
    },
  }
}
