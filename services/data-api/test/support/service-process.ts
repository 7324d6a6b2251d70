import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { Config } from '../../src/config.ts'

const entry = fileURLToPath(new URL('run-service.ts', import.meta.url))

export type ServiceProcess = AsyncDisposable & {
  readonly api: string
  readonly internal: string
  /** Sends the signal, and resolves with the exit code when the process has ended. */
  end(signal: 'SIGKILL' | 'SIGTERM'): Promise<number | null>
}

/** Starts the service as a separate process, so that a test can kill it. */
export async function startServiceProcess(config: Config): Promise<ServiceProcess> {
  const child = spawn(
    process.execPath,
    ['--conditions=source', '--disable-warning=ExperimentalWarning', entry],
    {
      env: { PATH: process.env['PATH'], TEST_CONFIG: JSON.stringify(config) },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
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
