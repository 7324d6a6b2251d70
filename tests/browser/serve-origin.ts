import { once } from 'node:events'
import { createServer, type OutgoingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'

export type File = { body: string | Uint8Array; headers: OutgoingHttpHeaders }

const page: File = {
  body: '<!doctype html><title>A frontend</title>',
  headers: { 'Content-Type': 'text/html' },
}

/** Serves files on a port of its own, which is an origin of its own. Every other path is a page. */
export async function serveOrigin(
  files: Readonly<Record<string, File>> = {},
): Promise<AsyncDisposable & { origin: string }> {
  const server = createServer((req, res) => {
    const { body, headers } = files[req.url ?? ''] ?? page
    res.writeHead(200, headers).end(body)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.close()
      server.closeAllConnections()
    },
  }
}
