import { once } from 'node:events'
import { type IncomingMessage, request, type ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Certificates } from '@surehook/scripts/receiver/certificates'

export type Delivered = { headers: Readonly<Record<string, string>>; body: Buffer }

/** Terminates TLS in front of an HTTP receiver. Records the requests, and can drop answers. */
export type TlsTerminator = AsyncDisposable & {
  readonly url: string
  readonly delivered: readonly Delivered[]
  /** Drops the next `count` answers. */
  loseAnswers(count: number): void
}

export async function openTlsTerminator(
  { key, cert }: Pick<Certificates, 'key' | 'cert'>,
  receiverPort: number,
): Promise<TlsTerminator> {
  const delivered: Delivered[] = []
  let toLose = 0
  const serve = async (req: IncomingMessage, res: ServerResponse) => {
    const chunks: Buffer[] = []
    for await (const chunk of req) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks)
    const headers = Object.entries(req.headers).map(([name, value]) => [name, String(value)])
    const delivery: Delivered = { headers: Object.fromEntries(headers), body }
    delivered.push(delivery)
    const status = await postTo(receiverPort, delivery)
    if (toLose === 0) {
      res.writeHead(status).end()
      return
    }
    toLose -= 1
    // Sends a partial answer: without any byte the dispatcher would repeat the request within the
    // attempt.
    res.socket?.end('HTTP/1.1 ')
  }
  const server = createServer({ key, cert }, (req, res) => {
    serve(req, res).catch((err: Error) => res.destroy(err))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `https://localhost:${(server.address() as AddressInfo).port}/`,
    delivered,
    loseAnswers(count) {
      toLose = count
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await server[Symbol.asyncDispose]()
    },
  }
}

/** Returns the receiver's status. */
export async function postTo(port: number, { headers, body }: Delivered): Promise<number> {
  const req = request({ port, host: '127.0.0.1', method: 'POST', headers, agent: false })
  req.end(body)
  const [res] = (await once(req, 'response')) as [{ statusCode: number; resume(): void }]
  res.resume()
  return res.statusCode
}
