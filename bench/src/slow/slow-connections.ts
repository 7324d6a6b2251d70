import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

export type SlowConnectionsOptions = {
  port: number
  count: number
  /** From how many addresses they come in turn, of the loopback network: 250 at most. */
  clients: number
  /** What each of them sends; then it sends nothing more. */
  head: string
  /** The beginning of the body; `null`: the head is never finished. */
  body: string | null
}

export type SlowReport = {
  /** Connections at this moment. */
  open: number
  /** How many the gateway ended; each was opened again. */
  ended: number
  /** Answers by status. */
  answers: Readonly<Record<string, number>>
}

export type SlowConnections = AsyncDisposable & {
  readonly pid: number
  report(): Promise<SlowReport>
}

/** Holds connections that never finish their requests, in a process of its own, once all of them are open. */
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
