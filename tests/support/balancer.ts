import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export type Balancer = AsyncDisposable & {
  readonly url: string
  /** The number of requests to each target. */
  readonly counts: ReadonlyMap<string, number>
  readonly targets: readonly string[]
  /** Returns the number of unanswered requests at a target. */
  open(target: string): number
  /** Sets the targets. Before the first call every request gets 503. */
  send(targets: readonly string[]): void
}

/** Sends each request to the next target, like a load balancer before replicas. */
export async function openBalancer(): Promise<Balancer> {
  const counts = new Map<string, number>()
  const open = new Map<string, number>()
  const add = (target: string, n: number) => open.set(target, (open.get(target) ?? 0) + n)
  let targets: readonly string[] = []
  let next = 0

  const forward = (req: IncomingMessage, res: ServerResponse) => {
    const target = targets[next++ % Math.max(1, targets.length)]
    if (target === undefined) {
      res.writeHead(503).end()
      return
    }
    counts.set(target, (counts.get(target) ?? 0) + 1)
    add(target, 1)
    res.once('close', () => add(target, -1))
    const { method, headers } = req
    // A kept connection may end at the target just as the next request leaves.
    const options = { method, headers, agent: false }
    const onward = request(new URL(req.url ?? '/', target), options, (answer) => {
      res.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(res)
    })
    onward.once('error', () => res.destroy())
    req.pipe(onward)
  }

  const server = createServer(forward).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    counts,
    get targets() {
      return targets
    },
    open: (target) => open.get(target) ?? 0,
    send(to) {
      targets = to
    },
    async [Symbol.asyncDispose]() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}
