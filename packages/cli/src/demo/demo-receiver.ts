import { once } from 'node:events'
import type { IncomingHttpHeaders } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'

export type Receipt = {
  /** The time when the body was complete, in epoch ms. */
  at: number
  headers: IncomingHttpHeaders
  body: string
}

export type DemoReceiver = AsyncDisposable & {
  /** Address of the receiver, with the port that it listens on. */
  readonly url: string
  /** Received webhooks in order, since `answer`. */
  readonly receipts: readonly Receipt[]
  /** Forgets the receipts, and sets the status of each later answer. `nth` counts from 1. */
  answer(statusOf: (nth: number) => number): void
}

/** Receives webhooks at the port of `url` and stores them. Port 0 selects any free port. */
export async function openDemoReceiver(
  url: URL,
  { key, cert }: { key: string; cert: string },
): Promise<DemoReceiver> {
  let receipts: Receipt[] = []
  let statusOf = (_nth: number) => 204
  const server = createServer({ key, cert }, (req, res) => {
    const pieces: Buffer[] = []
    req.on('data', (piece: Buffer) => pieces.push(piece))
    req.on('error', () => res.destroy())
    req.on('end', () => {
      const body = Buffer.concat(pieces).toString('utf8')
      receipts.push({ at: Date.now(), headers: req.headers, body })
      res.writeHead(statusOf(receipts.length)).end()
    })
  })
  server.listen(url.port === '' ? 443 : Number(url.port))
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `https://${url.hostname}:${port}`,
    get receipts() {
      return receipts
    },
    answer(next) {
      receipts = []
      statusOf = next
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}
