import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'

/** Files of the certificate. */
export type Tls = { key: string; cert: string }

export type ReceiverProcess = AsyncDisposable & {
  readonly child: ChildProcess
  url(path: string): string
}

/**
 * Starts a receiver in a process of its own. `entry` opens its server with `openReceiverServer`.
 */
export async function forkReceiver(entry: URL, tls: Tls): Promise<ReceiverProcess> {
  const child = fork(entry, [tls.key, tls.cert], { execArgv: process.execArgv })
  const [port] = (await once(child, 'message')) as [number]
  return {
    child,
    url: (path) => `https://localhost:${port}${path}`,
    async [Symbol.asyncDispose]() {
      const exited = once(child, 'exit')
      child.disconnect()
      await exited
    },
  }
}
