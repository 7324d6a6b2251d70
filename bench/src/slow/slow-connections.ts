import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

export type SlowConnectionsOptions = {
  port: number
  count: number
  /** The number of loopback addresses that they use in turn, at most 250. */
  clients: number
  /** The head that each of them sends. Nothing follows after `body`. */
  head: string
  /** The beginning of the body. `null` leaves the head unfinished. */
  body: string | null
}

export type SlowReport = {
  /** The number of open connections. */
  open: number
  /** How many connections the gateway closed. Each was reopened. */
  ended: number
  /** The number of answers, by status. */
  answers: Readonly<Record<string, number>>
}

export type SlowConnections = AsyncDisposable & {
  readonly pid: number
  report(): Promise<SlowReport>
}

/**
 * Opens connections that never finish their requests, in a separate process. Resolves when all are
 * open.
 */
export async function openSlowConnections(
  options: SlowConnectionsOptions,
): Promise<SlowConnections> {
  const entry = fileURLToPath(new URL('./slow-connections-process.ts', import.meta.url))
  const child = fork(entry, [JSON.stringify(options)], { execArgv: process.execArgv })
  const exited = once(child, 'exit')
  const ended = new AbortController()
  child.once('exit', (code) => ended.abort(new Error(`The slow connections ended with ${code}`)))
  const next = async () =>
    ((await once(child, 'message', { signal: ended.signal })) as [SlowReport])[0]
  await next()
  return {
    pid: child.pid ?? 0,
    report() {
      child.send('report')
      return next()
    },
    async [Symbol.asyncDispose]() {
      child.disconnect()
      await exited
    },
  }
}
