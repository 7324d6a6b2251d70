import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'

/** How an endpoint answers: the first part of its path. */
export type Manner = 'ok' | 'hang' | 'error' | 'loris' | 'close'

type Exchange = { req: IncomingMessage; res: ServerResponse }

const lorisEveryMs = 250

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
}

export function answerAs(path: string, exchange: Exchange): void | Promise<void> {
  const manner = path.split('/', 2)[1] as Manner
  return (manners[manner] ?? manners.ok)(exchange)
}
