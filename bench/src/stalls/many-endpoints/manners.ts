import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'

/** How an endpoint answers: the first part of its path. */
export type Manner = 'ok' | 'hang' | 'error' | 'loris' | 'close' | 'switch'

type Exchange = { req: IncomingMessage; res: ServerResponse; mended: boolean }

const lorisEveryMs = 250
/** The answer time of a repaired endpoint, long enough for several requests to be in flight. */
const mendedAnswersAfterMs = 10

const manners: Record<Manner, (exchange: Exchange) => void | Promise<void>> = {
  ok: ({ res }) => void res.writeHead(204).end(),
  /** Does not answer until the sender times out. */
  hang: () => undefined,
  error: ({ res }) => void res.writeHead(500).end('broken'),
  /** Sends a byte now and then, and never a complete head. */
  async loris({ req: { socket } }) {
    for (const byte of `HTTP/1.1 200 OK\r\nx-slow: ${'z'.repeat(1_000)}`) {
      if (socket.destroyed) return
      socket.write(byte)
      await wait(lorisEveryMs)
    }
  },
  close: ({ req: { socket } }) => void socket.destroy(),
  async switch({ res, mended }) {
    if (mended) await wait(mendedAnswersAfterMs)
    res.writeHead(mended ? 204 : 500).end()
  },
}

export function answerAs(path: string, exchange: Exchange): void | Promise<void> {
  const manner = path.split('/', 2)[1] as Manner
  return (manners[manner] ?? manners.ok)(exchange)
}
