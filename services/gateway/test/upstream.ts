import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

export type SeenRequest = {
  method: string | undefined
  url: string | undefined
  headers: IncomingMessage['headers']
  body: string
}

export type Upstream = AsyncDisposable & {
  readonly url: string
  readonly server: Server
  readonly seen: SeenRequest[]
  /** Replaces the default answer: 200 with the upstream's name. */
  answer: RequestListener
}

/** A real HTTP server that replaces a service and records its requests. */
export async function startUpstream(name: string): Promise<Upstream> {
  const seen: SeenRequest[] = []
  const server = createServer((req, res) => upstream.answer(req, res)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const upstream: Upstream = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    server,
    seen,
    answer: (req, res) => {
      text(req).then(
        (body) => {
          seen.push({ method: req.method, url: req.url, headers: req.headers, body })
          res.setHeader('Content-Type', 'application/json')
          res.end(JSON.stringify({ upstream: name }))
        },
        () => res.destroy(),
      )
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      if (server.listening) await new Promise((resolve) => server.close(resolve))
    },
  }
  return upstream
}
