import type { IncomingMessage } from 'node:http'

const maxDiscardedBytes = 16 * 1024 * 1024
const maxDiscardMs = 10_000

/**
 * Reads and discards the rest of a refused request. Closing at once would reset the connection
 * while the client still sends, and the client would not see the response. Beyond a limit the
 * connection is cut anyway.
 */
export function discardRest(req: IncomingMessage): void {
  if (req.readableEnded || req.destroyed) return
  let discarded = 0
  const cut = () => req.destroy()
  const timer = setTimeout(cut, maxDiscardMs).unref()
  req.on('data', (chunk: Buffer) => {
    discarded += chunk.length
    if (discarded > maxDiscardedBytes) cut()
  })
  req.once('close', () => clearTimeout(timer))
  req.once('end', () => clearTimeout(timer))
  req.on('error', () => clearTimeout(timer))
  req.resume()
}
