import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { answersOk } from '@surehook/scripts/lib/http-probe'
import { freePort } from '@surehook/scripts/lib/ports'
import { waitUntil } from '@surehook/service-kit/wait-until'
import { commandOf, environmentOf, pidFilesOf } from '../measure/service-processes.ts'

export type Replica = AsyncDisposable & { pid: number }

/** Starts a further replica of a service, with the environment of the first one and its own ports. */
export async function startReplica(
  { runDirs }: { runDirs: readonly string[] },
  service: string,
  timeoutMs = 60_000,
): Promise<Replica> {
  const [first] = pidFilesOf(runDirs, service)
  if (first === undefined) {
    throw new Error(`no process of its own runs ${service}: start with SUREHOOK_MODE=separate`)
  }
  const [command = '', ...args] = commandOf(first)
  const port = await freePort()
  const ports = { PORT: String(await freePort()), INTERNAL_PORT: String(port) }
  const child = spawn(command, args, {
    env: { ...environmentOf(first), ...ports },
    stdio: 'ignore',
  })
  const isReady = () => answersOk(`http://127.0.0.1:${port}/readyz`)
  await waitUntil(isReady, { what: `another ${service}`, timeoutMs })
  return {
    pid: child.pid ?? 0,
    async [Symbol.asyncDispose]() {
      const exited = once(child, 'exit')
      child.kill('SIGTERM')
      await exited
    },
  }
}
