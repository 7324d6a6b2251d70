import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'

export type Shell = {
  readonly cwd: string
  /** Runs commands in one shell, which keeps variables and functions. Resolves to their output. */
  run(commands: string, options?: { timeoutMs?: number }): Promise<string>
  /** Runs commands that must fail, in a separate shell. */
  fail(commands: string): Promise<string>
  [Symbol.asyncDispose](): Promise<void>
}

type Options = { cwd: string; env: NodeJS.ProcessEnv; logFile: string }

/** Opens a shell that ends at the first failing command, as an operator would stop. */
export function openShell({ cwd, env, logFile }: Options): Shell {
  const log = createWriteStream(logFile)
  // In its own process group, so that its background processes end with it.
  const bash = spawn('bash', ['-euo', 'pipefail'], { cwd, env, detached: true })
  // Its exit code already shows that it has ended.
  bash.stdin.on('error', () => undefined)
  let output = ''
  for (const stream of [bash.stdout, bash.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString()
      log.write(chunk)
    })
  }
  let calls = 0
  const run: Shell['run'] = async (commands, { timeoutMs = 1_200_000 } = {}) => {
    calls += 1
    const mark = `@@${calls}@@`
    log.write(`\n$ ${commands}\n`)
    output = ''
    bash.stdin.write(`${commands}\necho ${mark}\n`)
    const deadline = Date.now() + timeoutMs
    while (!output.includes(mark)) {
      const text = output.trim()
      if (bash.exitCode !== null) throw new Error(`${commands}\n\nfailed:\n${text}`)
      if (Date.now() > deadline) throw new Error(`${commands}\n\ndoes not end:\n${text}`)
      await wait(50)
    }
    return output.replace(`${mark}\n`, '').trim()
  }
  return {
    cwd,
    run,
    async fail(commands) {
      const text = await run(`( set +e; ( set -e; ${commands}\n); echo "ended with $?" )`)
      if (/^ended with 0$/m.test(text)) throw new Error(`${commands}\n\ndid not fail`)
      return text
    },
    async [Symbol.asyncDispose]() {
      end(bash)
      if (bash.exitCode === null && bash.signalCode === null) await once(bash, 'exit')
      log.end()
    },
  }
}

function end({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch (err) {
    if ((err as NodeJS.ErrnoException).code !== 'ESRCH') throw err
  }
}
