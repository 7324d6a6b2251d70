import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, open as openFile, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runCommand } from '@surehook/scripts/check/run-command'
import { repoRoot } from '@surehook/scripts/lib/paths'
import { freePort, isFree } from '@surehook/scripts/lib/ports'
import { hasToolchain, type Toolchain } from '@surehook/scripts/lib/toolchains'
import { waitUntil } from '@surehook/scripts/lib/wait-until'
import { pythonWith } from '@surehook/scripts/python/python-tools'

type Sample = {
  name: string
  /** Whether it requires `X-Service-Signature` too, not `webhook-signature` alone. */
  checksServiceSignature: boolean
  needs?: Toolchain
  prepare(dir: string): Promise<string[]>
}

const receiversDir = `${repoRoot}/docs/guides/receivers`

/** The receivers of docs/guides/receiving.md; `prepare` gives the command that runs one. */
const samples: readonly Sample[] = [
  {
    name: 'TypeScript',
    checksServiceSignature: true,
    prepare: async () => [process.execPath, `${receiversDir}/typescript/receiver.ts`],
  },
  {
    name: 'Python',
    checksServiceSignature: true,
    needs: 'python',
    prepare: async () => ['python3', `${receiversDir}/python/receiver.py`],
  },
  {
    name: 'Go',
    checksServiceSignature: true,
    needs: 'go',
    async prepare(dir) {
      const built = await runCommand({
        args: ['go', 'build', '-o', `${dir}/receiver`, '.'],
        cwd: `${receiversDir}/go`,
      })
      if (!built.ok) throw new Error(built.output)
      return [`${dir}/receiver`]
    },
  },
  {
    name: 'Express',
    checksServiceSignature: false,
    prepare: async () => [process.execPath, `${receiversDir}/express/receiver.ts`],
  },
  {
    name: 'Fastify',
    checksServiceSignature: false,
    prepare: async () => [process.execPath, `${receiversDir}/fastify/receiver.ts`],
  },
  {
    name: 'FastAPI',
    checksServiceSignature: false,
    needs: 'python',
    prepare: async () => [
      await pythonWith(`${receiversDir}/fastapi/requirements.txt`),
      `${receiversDir}/fastapi/receiver.py`,
    ],
  },
]

export const testedReceivers = samples.filter(
  ({ needs }) => needs === undefined || hasToolchain(needs, process.env),
)

async function tlsFiles(dir: string, { key, cert }: { key: string; cert: string }) {
  const files = { TLS_CERT: join(dir, 'cert.pem'), TLS_KEY: join(dir, 'key.pem') }
  await Promise.all([writeFile(files.TLS_CERT, cert), writeFile(files.TLS_KEY, key)])
  return files
}

export type RunningReceiver = AsyncDisposable & {
  readonly port: number
  /** Bodies of the events that it has taken. */
  inbox(): Promise<string[]>
}

export async function startReceiver(
  sample: Sample,
  secrets: readonly string[],
  tls?: { key: string; cert: string },
): Promise<RunningReceiver> {
  await using opening = new AsyncDisposableStack()
  const dir = opening.adopt(await mkdtemp(join(tmpdir(), 'surehook-receiver-')), (path) =>
    rm(path, { recursive: true }),
  )
  const [command = '', ...args] = await sample.prepare(dir)
  const port = await freePort()
  const inboxDir = `${dir}/inbox`
  const log = opening.use(await openFile(`${dir}/log`, 'w+'))
  const child = spawn(command, args, {
    cwd: dir,
    stdio: ['ignore', 'ignore', log.fd],
    env: {
      PATH: process.env['PATH'],
      PORT: String(port),
      INBOX: inboxDir,
      WEBHOOK_SECRETS: JSON.stringify(secrets),
      ...(tls !== undefined && (await tlsFiles(dir, tls))),
    },
  })
  const ended = once(child, 'exit')
  opening.defer(async () => {
    child.kill('SIGKILL')
    await ended
  })
  const listens = async () => {
    if (child.exitCode !== null) throw new Error(await readFile(`${dir}/log`, 'utf8'))
    return existsSync(inboxDir) && !(await isFree(port))
  }
  await waitUntil(listens, { what: `${sample.name} listens`, timeoutMs: 20_000 })
  const resources = opening.move()
  return {
    port,
    async inbox() {
      const names = (await readdir(inboxDir)).filter((name) => name.endsWith('.json'))
      return Promise.all(names.map((name) => readFile(join(inboxDir, name), 'utf8')))
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}
