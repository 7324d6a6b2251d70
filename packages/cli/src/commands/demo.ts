import { existsSync, readFileSync } from 'node:fs'
import { reasonOf } from '@surehook/service-kit/errors'
import { defineCommand, exitCodes, Failure, UsageError } from '../cli/command.ts'
import { openDemoReceiver } from '../demo/demo-receiver.ts'
import { playDemo } from '../demo/play-demo.ts'
import {
  checkedUrl,
  findPlatform,
  type Platform,
  platformOptions,
  platformVariables,
} from '../lib/platform-client.ts'
import { demoCertificate, findRunningSystem } from '../lib/running-system.ts'
import { durationOf } from '../lib/wait-for.ts'

export const demoCommand = defineCommand({
  name: 'demo',
  summary: 'Send one change through the whole system to a webhook',
  details: [
    'The command succeeds when this process receives the webhook with a valid signature. On the system of this checkout',
    'it needs no options. Elsewhere set --receiver: the dispatcher must reach that URL (WEBHOOK_ALLOWED_NETWORKS) and',
    'trust its certificate (WEBHOOK_EXTRA_CA_FILE). With --first-attempt it needs no receiver and succeeds after an',
    'attempt at a name that does not exist. The command leaves an empty project demo-….',
  ].join('\n'),
  options: {
    receiver: {
      type: 'string',
      value: 'url',
      help: 'the https URL that reaches this process',
    },
    certificate: { type: 'string', value: 'file', help: "PEM of the receiver's certificate" },
    key: { type: 'string', value: 'file', help: 'PEM of its key' },
    'first-attempt': {
      type: 'boolean',
      help: 'deliver nothing, and end after the first attempt',
    },
    timeout: {
      type: 'string',
      value: 'duration',
      default: '1m',
      help: 'time limit of the whole command',
    },
    ...platformOptions,
  },
  variables: platformVariables,
  async run({ values, env, json, out, note, signal }) {
    const platform = findPlatform(values, env)
    const over = AbortSignal.timeout(durationOf('timeout', values.timeout))
    await using opened = new AsyncDisposableStack()
    const receiver = await openReceiver(receiverOf(values, platform), opened)
    const say = json ? note : out
    await playDemo({ platform, receiver, signal: AbortSignal.any([signal, over]), say })
    if (json) out(JSON.stringify({ ok: true }, null, 2))
    return exitCodes.ok
  },
})

type Values = Readonly<
  Record<'receiver' | 'certificate' | 'key', string | undefined> & { 'first-attempt': boolean }
>

/** Address of the webhook receiver: an https URL of this process, with its certificate files. */
type ReceiverAt = { url: string; certificate: string; key: string }

/** `null` if no receiver is wanted. */
function receiverOf(values: Values, platform: Platform): ReceiverAt | null {
  const { receiver, certificate, key } = values
  if (values['first-attempt']) {
    if (receiver === undefined) return null
    throw new UsageError('--first-attempt has no receiver: leave out --receiver')
  }
  if (receiver === undefined) return localReceiver(platform)
  if (certificate === undefined || key === undefined) {
    throw new UsageError('--receiver needs --certificate and --key')
  }
  const url = checkedUrl(receiver)
  if (!url.startsWith('https:')) throw new UsageError('--receiver: webhooks go to https only')
  return { url, certificate, key }
}

/** The system that runs from this checkout trusts a certificate in the checkout. */
function localReceiver({ baseUrl }: Platform): ReceiverAt {
  const system = findRunningSystem()
  if (system?.baseUrl === baseUrl && existsSync(demoCertificate.key)) {
    return { url: `https://${system.receiverHost ?? 'localhost'}:0`, ...demoCertificate }
  }
  throw new UsageError(
    'nothing would be delivered: name a receiver with --receiver, --certificate and --key, or use --first-attempt',
  )
}

async function openReceiver(at: ReceiverAt | null, opened: AsyncDisposableStack) {
  if (at === null) return null
  const pem = { key: pemIn(at.key), cert: pemIn(at.certificate) }
  const open = opened.use(await openDemoReceiver(new URL(at.url), pem))
  return { url: `${open.url}/hooks`, open }
}

function pemIn(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (err) {
    throw new Failure(`${file}: ${reasonOf(err)}`)
  }
}
