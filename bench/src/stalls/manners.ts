import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'

/** How an endpoint answers: the first part of its path. */
export type Manner = 'ok' | 'hang' | 'error' | 'loris' | 'close' | 'switch'

type Exchange = { req: IncomingMessage; res: ServerResponse; mended: boolean }

const lorisEveryMs = 250
/** Of one that was mended: so long that several are in flight at once. */
const mendedAnswersAfterMs = 10

const manners: Record<Manner, (exchange: Exchange) => void | Promise<void>> = {
  ok: ({ res }) => void res.writeHead(204).end(),
  /** Says nothing until the sender gives up. */
  hang: () => undefined,
  error: ({ res }) => void res.writeHead(500).end('broken'),
  /** A byte now and then, and never a whole head. */
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
