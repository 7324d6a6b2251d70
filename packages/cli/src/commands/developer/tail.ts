import { setTimeout as sleep } from 'node:timers/promises'
import type { FoundDelivery } from '@surehook/client'
import { type ExitCode, exitCodes, type OptionSpecs } from '../../cli/command.ts'
import { countOf, instantOf } from '../../lib/input/option-values.ts'
import { endedLine } from '../../output/deliveries.ts'
import { DeliveryTail } from '../../tail/delivery-tail.ts'
import { retryingSource } from '../../tail/retrying-source.ts'
import { type TenantCall, tenantCommand } from '../../tenant/tenant-command.ts'

const options = {
  failed: { type: 'boolean', help: 'only dead letters' },
  table: { type: 'string', value: 'name', help: 'only changes of this table' },
  since: {
    type: 'string',
    value: 'when',
    help: 'begin with those made since 1h ago, or since a time. Default: now',
  },
  'exit-after': { type: 'string', value: 'count', help: 'end after that many deliveries' },
} as const satisfies OptionSpecs

export const tailCommand = tenantCommand({
  name: 'tail',
  summary: 'Show each delivery when it ends',
  details: [
    'A delivery ends as delivered, as a dead letter, or cancelled. The command searches the history at',
    'most once a second. Each time it reads the deliveries made in the two minutes before the newest',
    'one, and looks at older ones that were still open. So it shows each delivery once, also after a',
    'lost connection, and also when the history is behind. It misses a delivery only if the history',
    'shows it more than two minutes later than newer ones, or if more than 10,000 newer ones are open.',
    'With --json it prints one line each.',
  ].join('\n'),
  examples: ['tail', 'tail --failed --table orders', 'tail --since 1h --failed --json'],
  options,
  act(call) {
    const { project, environment } = call.tenant
    if (!call.json) call.note(`deliveries of ${project}/${environment}, as they end`)
    return follow(call)
  },
})

type TailCall = TenantCall<typeof options>

const everyMs = 1_000
const longestPauseMs = 15_000

async function follow(call: TailCall): Promise<ExitCode> {
  const { values, signal, now } = call
  const exitAfter = values['exit-after']
  let left = exitAfter === undefined ? Number.POSITIVE_INFINITY : countOf('exit-after', exitAfter)
  for await (const delivery of endedDeliveries(call)) {
    if (values.failed && delivery.status !== 'dead_letter') continue
    call.out(call.json ? JSON.stringify(delivery) : endedLine(delivery, now()))
    left -= 1
    if (left === 0 || signal.aborted) break
  }
  return exitCodes.ok
}

/** Goes on until the user stops the command. */
async function* endedDeliveries(call: TailCall): AsyncGenerator<FoundDelivery> {
  const { surehook, values, signal, now } = call
  const { table, since } = values
  const source = retryingSource(surehook, call)
  const tail = new DeliveryTail(source, {
    table,
    since: since === undefined ? undefined : instantOf('since', since, now()).getTime(),
  })
  // The platform has no work during an outage.
  const workingMs = () => performance.now() - source.outageMs
  let hasForgotten = false
  for (;;) {
    const startedAt = workingMs()
    const ended = await tail.poll().catch((err: unknown) => {
      if (!signal.aborted) throw err
      return []
    })
    if (tail.hasForgotten && !hasForgotten) {
      call.note('more than 10,000 deliveries are open: only the newest of them are followed')
    }
    hasForgotten = tail.hasForgotten
    yield* ended
    const tookMs = workingMs() - startedAt
    // A search leaves the platform as much time as it took, but at most 15 s.
    const pauseMs = Math.min(Math.max(everyMs - tookMs, tookMs), longestPauseMs)
    if (await isStopped(pauseMs, signal)) return
  }
}

/** Pauses. Resolves with true once the user stops the command. */
async function isStopped(ms: number, signal: AbortSignal): Promise<boolean> {
  try {
    await sleep(ms, undefined, { signal })
  } catch (err) {
    if (!signal.aborted) throw err
  }
  return signal.aborted
}
