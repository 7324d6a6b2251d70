import { parseDuration } from '@surehook/service-kit/time'
import { defineCommand, exitCodes, UsageError } from '../cli/command.ts'
import { playAll, playDelivery, playFirstAttempt } from '../demo/play-demo.ts'
import {
  openReceiverAt,
  type ReceiverAddress,
  type ReceiverValues,
  receiverAddress,
  receiverOptions,
} from '../demo/receiver-options.ts'
import type { DemoTimes } from '../demo/stage.ts'
import { listOf } from '../lib/input/option-values.ts'
import {
  findPlatform,
  type Platform,
  platformOptions,
  platformVariables,
} from '../lib/platform-client.ts'
import { findRunningSystem } from '../lib/running-system.ts'
import { durationOf } from '../lib/wait-for.ts'
import { explainedToOperator } from '../output/explain-error.ts'

/** RFC 2606 §2 reserves `.invalid`: the name never resolves. */
const nowhere = 'https://receiver.invalid/hooks'

const timesVariables = {
  WEBHOOK_RETRY_DELAYS: 'the delays of the services, for --all. Default: theirs',
  WEBHOOK_CIRCUIT_COOLDOWN: 'the cooldown of the services, for --all. Default: theirs',
} as const

export const demoCommand = defineCommand({
  name: 'demo',
  summary: 'Send one change through the whole system to a webhook',
  details: [
    'The command succeeds when this process receives the webhook with a valid signature. On the system of this checkout',
    'it needs no options. Elsewhere set --receiver: the dispatcher must reach that URL (WEBHOOK_ALLOWED_NETWORKS) and',
    'trust its certificate (WEBHOOK_EXTRA_CA_FILE). With --first-attempt it needs no receiver and succeeds after an',
    'attempt at a name that does not exist. The command leaves an empty project demo-….',
    'With --all it shows more: an update and a deletion, retries, and a circuit that opens and recovers. That takes as',
    'long as the first two delays and the cooldown, which are 2 min 6 s by default.',
  ].join('\n'),
  options: {
    ...receiverOptions,
    'first-attempt': {
      type: 'boolean',
      help: 'deliver nothing, and end after the first attempt',
    },
    all: { type: 'boolean', help: 'show updates, deletions, retries and a circuit too' },
    timeout: {
      type: 'string',
      value: 'duration',
      help: 'time limit of the whole command. Default: 1m, or 10m with --all',
    },
    ...platformOptions,
  },
  variables: { ...platformVariables, ...timesVariables },
  async run({ values, env, json, out, note, signal }) {
    const platform = findPlatform(values, env)
    const limit = values.timeout ?? (values.all ? '10m' : '1m')
    const over = AbortSignal.timeout(durationOf('timeout', limit))
    await using opened = new AsyncDisposableStack()
    const options = {
      platform,
      ...(await openReceiver(receiverOf(values, platform), opened)),
      times: timesOf(platform, env),
      signal: AbortSignal.any([signal, over]),
      say: json ? note : out,
    }
    try {
      if (options.receiver === null) await playFirstAttempt(options)
      else await (values.all ? playAll : playDelivery)(options)
    } catch (err) {
      throw explainedToOperator(firstOf(err), platform.baseUrl)
    }
    if (json) out(JSON.stringify({ ok: true }, null, 2))
    return exitCodes.ok
  },
})

type Values = ReceiverValues & Readonly<Record<'first-attempt' | 'all', boolean>>

/** `null` if no receiver is wanted. */
function receiverOf(values: Values, platform: Platform): ReceiverAddress | null {
  if (!values['first-attempt']) return receiverAddress(values, platform)
  if (values.all) throw new UsageError('--first-attempt delivers nothing: leave out --all')
  if (values.receiver === undefined) return null
  throw new UsageError('--first-attempt has no receiver: leave out --receiver')
}

async function openReceiver(at: ReceiverAddress | null, opened: AsyncDisposableStack) {
  if (at === null) return { url: nowhere, receiver: null }
  const receiver = opened.use(await openReceiverAt(at))
  return { url: `${receiver.url}/hooks`, receiver }
}

/** What the services use, so that the demo knows when an attempt is late. */
function timesOf({ baseUrl }: Platform, env: NodeJS.ProcessEnv): DemoTimes {
  const system = findRunningSystem()
  const own = system?.baseUrl === baseUrl ? system : undefined
  const delays = env['WEBHOOK_RETRY_DELAYS'] || own?.retryDelays.join(',') || '1s,5s,30s,5m'
  const cooldown = env['WEBHOOK_CIRCUIT_COOLDOWN'] || own?.circuitCooldown || '2m'
  return {
    retryDelaysMs: listOf(delays).map(parseDuration),
    cooldownMs: parseDuration(cooldown),
  }
}

/** The failure itself, rather than that of the cleaning up after it. */
const firstOf = (err: unknown): unknown =>
  // Node 20 has no class SuppressedError.
  err instanceof Error && err.name === 'SuppressedError' && 'suppressed' in err
    ? firstOf(err.suppressed)
    : err
