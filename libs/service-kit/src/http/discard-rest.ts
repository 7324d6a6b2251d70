import type { IncomingMessage } from 'node:http'

const maxDiscardedBytes = 16 * 1024 * 1024
const maxDiscardMs = 10_000

/**
 * Reads on and throws away what is left of a request that was already refused. Closing at once would
 * reset the connection under a client that is still sending, and it would never see the answer. Past a
 * bound the connection is cut all the same.
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
