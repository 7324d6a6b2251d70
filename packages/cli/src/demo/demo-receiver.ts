import { createHmac, timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import type { IncomingHttpHeaders } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'

export type Receipt = { headers: IncomingHttpHeaders; body: string }

export type DemoReceiver = AsyncDisposable & {
  /** Address of the receiver, with the port that it listens on. */
  readonly url: string
  /** Received webhooks in order. */
  readonly receipts: readonly Receipt[]
}

/** Receives webhooks at the port of `url` and stores them. Port 0 selects any free port. */
export async function openDemoReceiver(
  url: URL,
  { key, cert }: { key: string; cert: string },
): Promise<DemoReceiver> {
  const receipts: Receipt[] = []
  const server = createServer({ key, cert }, (req, res) => {
    const pieces: Buffer[] = []
    req.on('data', (piece: Buffer) => pieces.push(piece))
    req.on('error', () => res.destroy())
    req.on('end', () => {
      receipts.push({ headers: req.headers, body: Buffer.concat(pieces).toString('utf8') })
      res.writeHead(204).end()
    })
  })
  server.listen(url.port === '' ? 443 : Number(url.port))
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const address = `https://${url.hostname}:${port}`
  return { url: address, receipts, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() }
}

/**
 * Verifies the signature as receivers should: over the raw bytes, with a comparison in constant
 * time.
 */
export function isSigned({ headers, body }: Receipt, secret: string): boolean {
  const given = Buffer.from([headers['x-service-signature'] ?? ''].flat().join())
  const digest = createHmac('sha256', secret).update(body).digest('hex')
  const expected = Buffer.from(`sha256=${digest}`)
  return given.length === expected.length && timingSafeEqual(given, expected)
}
