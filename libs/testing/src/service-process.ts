import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { runService } from '@surehook/service-kit/lifecycle'
import { createLogger, type Logger } from '@surehook/service-kit/telemetry/log'
import type { ComposedService } from './platform-service.ts'

export type ServiceProcess = AsyncDisposable & {
  readonly api: string
  readonly internal: string
  /** Sends the signal, and resolves with the exit code when the process has ended. */
  end(signal: 'SIGKILL' | 'SIGTERM'): Promise<number | null>
}

/**
 * Starts a service as a separate process, so that a test can kill it.
 * @param entry a script that calls `runServiceProcess`
 */
export async function startServiceProcess(
  entry: string,
  env: NodeJS.ProcessEnv,
): Promise<ServiceProcess> {
  const child = spawn(
    process.execPath,
    ['--conditions=source', '--disable-warning=ExperimentalWarning', entry],
    { env: { PATH: process.env['PATH'], ...env }, stdio: ['ignore', 'pipe', 'inherit'] },
  )
  const exited = once(child, 'exit') as Promise<[number | null]>
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  const { value } = (await lines.next()) as { value: string | undefined }
  if (value === undefined) throw new Error('the service did not start')
  const { api, internal } = JSON.parse(value) as { api: string; internal: string }
  const end = async (signal: 'SIGKILL' | 'SIGTERM') => {
    child.kill(signal)
    const [code] = await exited
    return code
  }
  return {
    api,
    internal,
    end,
    async [Symbol.asyncDispose]() {
      await end('SIGKILL')
    },
  }
}

/** Runs a service as `main.ts` does, and prints its URLs once it has started. */
export function runServiceProcess(
  compose: (log: Logger, signal: AbortSignal) => Promise<ComposedService>,
): Promise<void> {
  const log = createLogger('test', 'silent')
  const open = async (signal: AbortSignal) => {
    const service = await compose(log, signal)
    return {
      async start() {
        await service.start(signal)
        const url = (port: number) => `http://127.0.0.1:${port}`
        const { api, internal } = service.ports
        process.stdout.write(`${JSON.stringify({ api: url(api), internal: url(internal) })}\n`)
      },
      [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
    }
  }
  return runService(open, { log })
}
