import { readFileSync } from 'node:fs'
import type { RequestListener } from 'node:http'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'

/**
 * The HTTPS server of a process that `forkReceiver` started. Unlike the receiver of the tests, it
 * keeps no bodies: a run sends too many of them.
 */
export function openReceiverServer(listener: RequestListener): Server {
  const [keyFile = '', certFile = ''] = process.argv.slice(2)
  const server = createServer(
    { key: readFileSync(keyFile), cert: readFileSync(certFile) },
    listener,
  )
  server.keepAliveTimeout = 60_000
  process.on('disconnect', () => process.exit(0))
  server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))
  return server
}
