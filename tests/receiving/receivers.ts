import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { request } from 'node:http'
import { join } from 'node:path'
import { freePort, isListening } from '@surehook/scripts/lib/ports'
import { hasToolchain, type Toolchain } from '@surehook/scripts/lib/toolchains'
import type { Receipt } from '@surehook/scripts/receiver/receiver'
import { until } from '@surehook/testing/until'
import { type Checkout, commandsOf } from '../support/commands/checkout.ts'

type Sample = {
  /** The heading of its section in the guide. */
  name: string
  /** True if it also requires `X-Service-Signature`, and not only `webhook-signature`. */
  checksServiceSignature: boolean
  needs?: Toolchain
}

/** The receivers of the guide. */
const samples: readonly Sample[] = [
  { name: 'Express', checksServiceSignature: false },
  { name: 'Fastify', checksServiceSignature: false },
  { name: 'FastAPI', checksServiceSignature: false, needs: 'python' },
  { name: 'Node without dependencies', checksServiceSignature: true },
  { name: 'Python without dependencies', checksServiceSignature: true, needs: 'python' },
  { name: 'Go with net/http', checksServiceSignature: true, needs: 'go' },
]

export const testedReceivers = samples.filter(
  ({ needs }) => needs === undefined || hasToolchain(needs, process.env),
)

const guide = 'docs/guides/receiving.md'
/**
 * Long enough to install the packages of the FastAPI receiver and to build the one in Go for the
 * first time.
 */
const startsWithinMs = 120_000

export type RunningReceiver = AsyncDisposable & {
  readonly port: number
  /** Returns the bodies of the accepted events. */
  inbox(): Promise<string[]>
}

/**
 * Starts a receiver as in the guide. `change` replaces variables of the page; `null` removes one.
 */
export async function startReceiver(
  checkout: Checkout,
  { name }: Sample,
  change: { WEBHOOK_SECRETS?: string; TLS_CERT?: null; TLS_KEY?: null } = {},
): Promise<RunningReceiver> {
  const [variables = ''] = await commandsOf({
    file: guide,
    from: '## The receivers',
    to: '### Express',
  })
  const [commands = ''] = await commandsOf({ file: guide, from: `### ${name}` })
  const port = await freePort()
  const inbox = `${checkout.dir}/${port}`
  const changes = Object.entries({ PORT: String(port), INBOX: inbox, ...change })
  const exports = changes
    .map(([key, value]) => (value === null ? `unset ${key}` : `export ${key}='${value}'`))
    .join('\n')
  const started = checkout.start(`${variables}\n${exports}\n${commands}`)
  let code: number | null | undefined
  void started.ended.then((ended) => (code = ended))
  const listens = async () => {
    if (code !== undefined) throw new Error(`${name} ended: ${started.out()}`)
    return existsSync(inbox) && (await isListening(port))
  }
  await until(listens, { what: `${name} listens`, timeoutMs: startsWithinMs })
  return {
    port,
    async inbox() {
      const names = (await readdir(inbox)).filter((file) => file.endsWith('.json'))
      return Promise.all(names.map((file) => readFile(join(inbox, file), 'utf8')))
    },
    [Symbol.asyncDispose]: () => started[Symbol.asyncDispose](),
  }
}

export type DeliveredRequest = Pick<Receipt, 'headers' | 'body'>

/** Posts a delivery to an HTTP receiver, and returns its status. */
export async function postTo(
  port: number,
  { headers, body, path = '/' }: DeliveredRequest & { path?: string },
): Promise<number> {
  const req = request({ port, host: '127.0.0.1', method: 'POST', path, headers, agent: false })
  req.end(body)
  const [res] = (await once(req, 'response')) as [{ statusCode: number; resume(): void }]
  res.resume()
  return res.statusCode
}
