import { writeFile } from 'node:fs/promises'
import { freePort, isListening } from '@surehook/scripts/lib/ports'
import { installExamples } from '@surehook/scripts/published/installed-examples'
import { until } from '@surehook/testing/until'
import { type RunningCommand, startShell } from '../support/commands/checkout.ts'
import { type ListeningWorld, openListeningWorld } from '../support/listening-world.ts'
import { openTlsFront } from './tls-front.ts'

export type ExamplesWorld = ListeningWorld & {
  /** The URL of the gateway, over HTTPS. */
  readonly url: string
  /** Runs commands in the folder of an example. */
  run(name: string, commands: string, env?: NodeJS.ProcessEnv): Promise<ExitedExample>
  /** Starts an example by `npm start`. Resolves when it listens. */
  start(name: string, env: NodeJS.ProcessEnv): Promise<RunningExample>
}

export type ExitedExample = { code: number | null; out: string }

export type RunningExample = {
  /** Its URL behind a TLS proxy. */
  readonly url: string
  /** What it has printed so far. */
  out(): string
  /** Ends it before the world ends. */
  stop(): Promise<void>
}

const startsWithinMs = 120_000

/** Opens a system over HTTPS, and examples that were installed outside of the repository. */
export async function openExamplesWorld(
  names: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<ExamplesWorld> {
  await using opening = new AsyncDisposableStack()
  const port = await freePort()
  const url = `https://localhost:${port}`
  const installed = opening.use(await installExamples(names))
  const world = opening.use(await openListeningWorld({ env: { PUBLIC_URL: url, ...env } }))
  const { certificates, system } = world
  const gateway = Number(new URL(system.baseUrl).port)
  opening.use(await openTlsFront(certificates, { port, to: gateway }))
  const caFile = installed.dirOf('ca.pem')
  await writeFile(caFile, certificates.ca)
  const running = opening.use(new AsyncDisposableStack())
  const resources = opening.move()
  return {
    ...world,
    url,
    async run(name, commands, variables) {
      const given = { NODE_EXTRA_CA_CERTS: caFile, ...variables }
      await using shell = startShell(installed.dirOf(name), commands, given)
      return { code: await shell.ended, out: shell.out() }
    },
    async start(name, variables) {
      const own = await freePort()
      const given = { NODE_EXTRA_CA_CERTS: caFile, PORT: String(own), ...variables }
      const shell = running.use(startShell(installed.dirOf(name), 'exec npm start', given))
      await listening(name, shell, own)
      const front = running.use(await openTlsFront(certificates, { to: own }))
      return { url: front.url, out: shell.out, stop: async () => shell[Symbol.asyncDispose]() }
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

/** Waits until an example listens. Rejects with its output if it ends before. */
export async function listening(name: string, shell: RunningCommand, port: number): Promise<void> {
  let code: number | null | undefined
  void shell.ended.then((ended) => (code = ended))
  const listens = async () => {
    if (code !== undefined) throw new Error(`${name} ended: ${shell.out()}`)
    return isListening(port)
  }
  await until(listens, { what: `${name} listens`, timeoutMs: startsWithinMs })
}
