import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { waitUntil } from '@surehook/service-kit/wait-until'
import type { ProcessGroup } from './process-group.ts'

export type ProcessSpec = {
  name: string
  command: string
  args: string[]
  env?: NodeJS.ProcessEnv
  cwd?: string
  identity?: { uid: number; gid: number } | undefined
  /** A part of the command line that is unique to the process. */
  marker: string
  logFile: string
  stopSignal: NodeJS.Signals
  /** Resolves to whether the process `pid` is ready. */
  isReady: (pid: number) => Promise<boolean>
  readyTimeoutMs: number
  stopTimeoutMs?: number | undefined
  /** If true, restarts the process after growing pauses whenever it ends by itself. */
  keepAlive?: boolean
}

export type ProcessHandle = {
  readonly pid: number | undefined
  /** Sends a signal. For a signal that ends the process, resolves when it has ended. */
  kill(signal?: NodeJS.Signals): Promise<void>
  /**
   * Stops the process if it runs, and starts it with the same ports and data. Resolves when it is
   * ready.
   */
  restart(): Promise<void>
  /** Resolves when the process has ended. It is killed after the grace time. */
  stop(): Promise<void>
}

const endingSignals = new Set<NodeJS.Signals>(['SIGKILL', 'SIGTERM', 'SIGINT', 'SIGQUIT'])

export type ProcessOwner = { group: ProcessGroup; log: (line: string) => void }

/** Starts the process and waits until it is ready. It ends with the owner's process group. */
export async function startProcess(spec: ProcessSpec, owner: ProcessOwner): Promise<ProcessHandle> {
  const started = describeProcess(spec, owner)
  await started.restart()
  return started
}

/** The process does not run before `restart`. */
export const describeProcess = (spec: ProcessSpec, owner: ProcessOwner): ProcessHandle =>
  new ManagedProcess(spec, owner)

class ManagedProcess implements ProcessHandle {
  readonly #spec: ProcessSpec
  readonly #owner: ProcessOwner
  #child: ChildProcess | null = null
  #wanted = false
  #quickEnds = 0
  /** The last process. What it started is in its process group. */
  #lastPid: number | undefined

  constructor(spec: ProcessSpec, owner: ProcessOwner) {
    this.#spec = spec
    this.#owner = owner
  }

  get pid(): number | undefined {
    return this.#child?.pid
  }

  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    const child = this.#child
    if (child === null || hasEnded(child)) return
    const exited = endingSignals.has(signal) ? once(child, 'exit') : undefined
    child.kill(signal)
    await exited
  }

  async restart(): Promise<void> {
    await this.stop()
    this.#wanted = true
    try {
      await this.#start()
    } catch (err) {
      this.#wanted = false
      throw err
    }
  }

  async stop(): Promise<void> {
    this.#wanted = false
    const child = this.#child
    this.#child = null
    if (child !== null && !hasEnded(child)) {
      const exited = once(child, 'exit')
      child.kill(this.#spec.stopSignal)
      const deadline = setTimeout(() => child.kill('SIGKILL'), this.#spec.stopTimeoutMs ?? 15_000)
      await exited
      clearTimeout(deadline)
    }
    await this.#owner.group.forget(this.#spec.name)
  }

  async #start(): Promise<void> {
    const { name, readyTimeoutMs: timeoutMs } = this.#spec
    // PostgreSQL refuses to start while sessions of a killed server still run.
    const what = `the processes that the last ${name} had started to end`
    await waitUntil(async () => groupHasEnded(this.#lastPid), { what, timeoutMs })
    const child = await launch(this.#spec, this.#owner.group)
    this.#child = child
    this.#lastPid = child.pid
    const startedAt = performance.now()
    child.once('exit', (code, signal) => {
      if (this.#child !== child) return
      this.#child = null
      this.#owner.log(`${this.#spec.name} ended (${signal ?? `exit code ${code}`})`)
      if (!this.#wanted || this.#spec.keepAlive !== true) return
      this.#quickEnds = performance.now() - startedAt < 10_000 ? this.#quickEnds + 1 : 0
      void this.#comeBack(Math.min(100 * 2 ** this.#quickEnds, 10_000))
    })
    await untilReady(child, this.#spec)
  }

  async #comeBack(afterMs: number): Promise<void> {
    await delay(afterMs)
    if (!this.#wanted || this.#child !== null) return
    try {
      await this.#start()
      this.#owner.log(`${this.#spec.name} is back (pid ${this.pid})`)
    } catch (err) {
      // The end of the process has already scheduled the next try.
      this.#owner.log(`${this.#spec.name} did not come back: ${(err as Error).message}`)
    }
  }
}

function groupHasEnded(leader: number | undefined): boolean {
  if (leader === undefined) return true
  try {
    process.kill(-leader, 0)
    return false
  } catch (err) {
    return (err as NodeJS.ErrnoException).code === 'ESRCH'
  }
}

async function launch(spec: ProcessSpec, group: ProcessGroup): Promise<ChildProcess> {
  const out = openSync(spec.logFile, 'a')
  const child = spawn(spec.command, spec.args, {
    stdio: ['ignore', out, out],
    // In its own process group, so that Ctrl-C reaches only the owner, which then stops everything
    // in order.
    detached: true,
    ...(spec.env && { env: spec.env }),
    ...(spec.cwd && { cwd: spec.cwd }),
    ...spec.identity,
  })
  closeSync(out)
  await once(child, 'spawn')
  const { pid } = child
  if (pid === undefined) throw new Error(`${spec.name} did not start`)
  await group.record(spec.name, { pid, stopSignal: spec.stopSignal, marker: spec.marker })
  return child
}

async function untilReady(child: ChildProcess, spec: ProcessSpec): Promise<void> {
  const { pid } = child
  try {
    await waitUntil(
      async () => {
        if (hasEnded(child) || pid === undefined) throw new Error(`${spec.name} ended at start`)
        return spec.isReady(pid)
      },
      { what: `${spec.name} to be ready`, timeoutMs: spec.readyTimeoutMs },
    )
  } catch (err) {
    child.kill('SIGKILL')
    throw new Error(`${(err as Error).message}\n${await lastLines(spec.logFile)}`, { cause: err })
  }
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null
}

async function lastLines(file: string): Promise<string> {
  const lines = (await readFile(file, 'utf8')).trimEnd().split('\n')
  return [`last lines of ${file}:`, ...lines.slice(-15)].join('\n')
}
