import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { repoRoot } from '@surehook/scripts/lib/paths'
import type { SystemAddress } from '../system-address.ts'
import type { World } from '../world.ts'

export type Checkout = AsyncDisposable & {
  readonly dir: string
  /** Writes the files that `npm start` writes about a running system. */
  writeEndpoints(world: World<SystemAddress>): Promise<void>
  /**
   * Runs commands in a shell that ends at the first failure. `out` is the output of both streams.
   */
  run(commands: string, env?: NodeJS.ProcessEnv): Promise<{ code: number | null; out: string }>
  /** Like `run`, without waiting for the end. The processes end with the checkout. */
  start(commands: string, env?: NodeJS.ProcessEnv): RunningCommand
}

export type RunningCommand = AsyncDisposable & {
  readonly ended: Promise<number | null>
  out(): string
  /** Like Ctrl-C in a terminal. Resolves when the command has ended. */
  interrupt(): Promise<void>
  /** Sends SIGTERM to the command alone. Resolves when it has ended. */
  terminate(): Promise<void>
}

/** What a user may have exported for other programs. The commands of a page work all the same. */
export const strangersVariables = {
  PORT: '8080',
  WEBHOOK_EXTRA_CA_FILE: '/etc/ssl/cert.pem',
  LANG: 'C',
  CI: 'true',
}

/** A folder with the parts of a checkout that the guides' commands use. */
export async function openCheckout(): Promise<Checkout> {
  await using opening = new AsyncDisposableStack()
  const dir = opening.adopt(await mkdtemp(join(tmpdir(), 'surehook-checkout-')), (path) =>
    rm(path, { recursive: true }),
  )
  for (const name of ['docs', 'node_modules'])
    await symlink(`${repoRoot}/${name}`, `${dir}/${name}`)
  await mkdir(`${dir}/.local/demo-ca`, { recursive: true })
  await mkdir(`${dir}/.local/mail`)
  const started = opening.use(new AsyncDisposableStack())
  const resources = opening.move()
  const start = (commands: string, env: NodeJS.ProcessEnv = {}) =>
    started.use(startShell(dir, commands, env))
  return {
    dir,
    start,
    async writeEndpoints({ system, certificates }) {
      const { baseUrl, adminToken, endpoints } = system
      const known = JSON.stringify({ ...endpoints, baseUrl, adminToken })
      await writeFile(`${dir}/.local/endpoints.json`, known)
      await writeFile(`${dir}/.local/demo-ca/server.key`, certificates.key)
      await writeFile(`${dir}/.local/demo-ca/server.pem`, certificates.cert)
    },
    async run(commands, env) {
      const shell = start(commands, env)
      return { code: await shell.ended, out: shell.out() }
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

/** Starts commands in a shell that ends at the first failure. */
export function startShell(cwd: string, commands: string, env: NodeJS.ProcessEnv): RunningCommand {
  const child = spawn('bash', ['-euo', 'pipefail', '-c', `exec 2>&1\n${commands}`], {
    cwd,
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
    env: { ...process.env, PATH: `${dirname(process.execPath)}:${process.env['PATH']}`, ...env },
  })
  let out = ''
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (out += chunk))
  const exited = once(child, 'exit')
  const ended = once(child, 'close').then(() => child.exitCode)
  return {
    ended,
    out: () => out,
    async interrupt() {
      signalGroup(child.pid, 'SIGINT')
      await exited
    },
    async terminate() {
      child.kill('SIGTERM')
      await exited
    },
    async [Symbol.asyncDispose]() {
      signalGroup(child.pid, 'SIGKILL')
      await ended
    },
  }
}

/** Includes child processes, because a receiver may continue when a page fails half-way. */
function signalGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(-pid, signal)
  } catch (err) {
    if ((err as NodeJS.ErrnoException).code !== 'ESRCH') throw err
  }
}

/** Returns the shell commands of a page, or of the part between two headings. */
export async function commandsOf(page: { file: string; from?: string; to?: string }) {
  const content = await readFile(`${repoRoot}/${page.file}`, 'utf8')
  const begin = page.from === undefined ? 0 : content.indexOf(`\n${page.from}\n`)
  const end = page.to === undefined ? content.length : content.indexOf(`\n${page.to}\n`, begin + 1)
  if (begin === -1 || end === -1) throw new Error(`${page.file} has other headings`)
  const blocks = content.slice(begin, end).matchAll(/^```bash\n(.*?)^```$/gms)
  return [...blocks].map(([, block = '']) => block)
}
