import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { waitUntil } from '@surehook/service-kit/wait-until'

/** A request that arrived, whatever its answer. */
export type Receipt = {
  method: string
  path: string
  /** The time when its body was complete, in epoch ms. */
  at: number
  headers: Readonly<Record<string, string>>
  body: string
}

export type Answer =
  | { status: number; body?: string; headers?: Record<string, string>; delayMs?: number }
  /** Never answers. */
  | 'hang'
  /** Closes the connection. */
  | 'reset'
  /**
   * Closes the connection after part of the status line. Without any byte the dispatcher would
   * repeat the request within the attempt.
   */
  | 'cut'

/** Decides the answer. `nth` counts the requests to the path, from 1. */
export type Behaviour = (receipt: Receipt, nth: number) => Answer | Promise<Answer>

export type Receiver = AsyncDisposable & {
  readonly port: number
  url(path: string): string
  /** The requests to `path`, in order of arrival. */
  receipts(path: string): readonly Receipt[]
  /** Sets the answers for `path` from now on. The default is 204. */
  answer(path: string, behaviour: Behaviour): void
  /**
   * Resolves when `path` has at least `count` receipts. Rejects with the number of those that came
   * when no further one has come for `timeoutMs`.
   */
  waitFor(path: string, count: number, timeoutMs?: number): Promise<readonly Receipt[]>
  forget(path: string): void
  /** Uses another certificate for new connections. */
  present(certificate: Pick<ReceiverOptions, 'key' | 'cert'>): void
}

export type ReceiverOptions = {
  key: string
  cert: string
  port?: number
  /** The address to listen on. */
  host?: string
  /** The host name in its URLs. */
  name?: string
}

const accept: Behaviour = () => ({ status: 204 })

/** Opens an HTTPS receiver of webhooks that records requests and answers as set by `answer`. */
export async function openReceiver(options: ReceiverOptions): Promise<Receiver> {
  const { key, cert, port = 0, host = '127.0.0.1', name = 'localhost' } = options
  const receipts = new Map<string, Receipt[]>()
  const behaviours = new Map<string, Behaviour>()
  const receiptsOf = (path: string): Receipt[] => {
    const known = receipts.get(path) ?? []
    receipts.set(path, known)
    return known
  }
  const server = createServer({ key, cert, keepAlive: true }, (req, res) => {
    receive(req)
      .then(async (receipt) => {
        const mine = receiptsOf(receipt.path)
        mine.push(receipt)
        const behave = behaviours.get(receipt.path) ?? accept
        await reply(res, await behave(receipt, mine.length))
      })
      .catch(() => res.destroy())
  })
  // Node's default of 5 s would make senders drop connections between two steps of a test.
  server.keepAliveTimeout = 60_000
  server.listen(port, host)
  await once(server, 'listening')
  const bound = (server.address() as AddressInfo).port
  return {
    port: bound,
    url: (path) => `https://${name}:${bound}${path}`,
    receipts: receiptsOf,
    answer: (path, behaviour) => void behaviours.set(path, behaviour),
    forget: (path) => void receipts.delete(path),
    present: (certificate) => server.setSecureContext(certificate),
    async waitFor(path, count, timeoutMs = 90_000) {
      const arrived = () => receiptsOf(path).length
      const what = () => `${path}: ${arrived()} of ${count} requests`
      for (let before = arrived(); before < count; before = arrived()) {
        await waitUntil(() => arrived() > before, { what, timeoutMs, everyMs: 5 })
      }
      return receiptsOf(path)
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await server[Symbol.asyncDispose]()
    },
  }
}

async function receive(req: IncomingMessage): Promise<Receipt> {
  const chunks: Buffer[] = []
  for await (const chunk of req) chunks.push(chunk as Buffer)
  const headers = Object.fromEntries(
    Object.entries(req.headers).map(([name, value]) => [name, String(value)]),
  )
  const body = Buffer.concat(chunks).toString('utf8')
  return { method: req.method ?? '', path: req.url ?? '', at: Date.now(), headers, body }
}

async function reply(res: ServerResponse, answer: Answer): Promise<void> {
  if (answer === 'hang') return
  if (answer === 'reset') {
    res.destroy()
    return
  }
  if (answer === 'cut') {
    res.socket?.end('HTTP/1.1 ')
    return
  }
  if (answer.delayMs !== undefined) await wait(answer.delayMs)
  res.writeHead(answer.status, answer.headers).end(answer.body)
}
