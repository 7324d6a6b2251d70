import { spawn } from 'node:child_process'
import { appendFileSync, writeFileSync } from 'node:fs'
import { setPriority } from 'node:os'
import { stripVTControlCharacters } from 'node:util'
import { repoRoot } from './paths.ts'

export type Command = {
  args: readonly string[]
  env?: NodeJS.ProcessEnv
  /** The default is the root of the checkout. */
  cwd?: string
  timeoutMs?: number
  /** A file that receives the output while the command runs. */
  logFile?: string
  /** Aborting ends the command. */
  signal?: AbortSignal
  /**
   * The niceness of the command, from 0 (the default) to 19: it gets what more urgent ones leave.
   */
  priority?: number
}

export type CommandResult = { ok: boolean; output: string }

const binDir = `${repoRoot}/node_modules/.bin`

/** Runs a program of node_modules/.bin (or of the path) at the root. Returns its whole output. */
export function runCommand(options: Command): Promise<CommandResult> {
  const {
    args,
    env,
    cwd = repoRoot,
    timeoutMs = 1_200_000,
    logFile,
    signal,
    priority = 0,
  } = options
  const [command = '', ...rest] = args
  if (logFile) writeFileSync(logFile, '')
  return new Promise((resolve) => {
    const child = spawn(command, rest, {
      cwd,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...env, CI: 'true', PATH: `${binDir}:${process.env['PATH']}` },
    })
    if (priority > 0 && child.pid !== undefined) setPriority(child.pid, priority)
    const chunks: Buffer[] = []
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk: Buffer) => {
        chunks.push(chunk)
        if (logFile) appendFileSync(logFile, chunk)
      })
    }
    const deadline = setTimeout(() => {
      chunks.push(Buffer.from(`\nended after ${timeoutMs / 1000} s without a result\n`))
      child.kill('SIGKILL')
    }, timeoutMs)
    signal?.addEventListener('abort', () => child.kill('SIGKILL'))
    const endWithUs = () => child.kill('SIGKILL')
    process.once('exit', endWithUs)
    const finish = (ok: boolean) => {
      process.off('exit', endWithUs)
      clearTimeout(deadline)
      resolve({ ok, output: stripVTControlCharacters(Buffer.concat(chunks).toString()) })
    }
    child.once('error', (err) => {
      chunks.push(Buffer.from(err.message))
      finish(false)
    })
    child.once('close', (code) => finish(code === 0))
  })
}
