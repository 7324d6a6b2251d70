import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as wait } from 'node:timers/promises'
import { createTenant, type Tenant } from '@surehook/scripts/client/tenant'
import { waitUntil } from '@surehook/service-kit/wait-until'
import {
  type ChangeTransport,
  graphqlTransport,
  httpTransport,
  restTransport,
  topicTransport,
} from '../../support/change-transports.ts'
import { undecidedAtMost } from '../../support/deliveries/fault-world.ts'
import { type Account, closeLedger } from '../../support/deliveries/ledger.ts'
import { type Load, startLoad } from '../../support/deliveries/load.ts'
import {
  type Subscriber,
  subscribeToPublished,
  subscribeTwice,
} from '../../support/deliveries/subscribers.ts'
import { untilAnswered } from '../../support/until-answered.ts'
import { makeFault } from './make-fault.ts'
import type { Trial } from './plan.ts'
import { countRepetitions, type Repetitions } from './repetitions.ts'
import type { Stage } from './stage.ts'
import { Watch } from './watch.ts'

export type Outcome = {
  faultMs: number
  /** `null` if the system did not recover in time. */
  recoveryMs: number | null
  acknowledged: number
  unanswered: number
  /** The longest stall of the suite's own process, which runs load, links and receiver. */
  stoodStillMs: number
  accounts: readonly Account[]
  repetitions: readonly Repetitions[]
  /** Descriptions of what is wrong; empty if nothing is. */
  faults: readonly string[]
}

const transportNames = ['rest', 'graphql', 'topic', 'http'] as const
/** The usual time between the answer to a change and its delivery. */
const usualMs = 1_000
const recoverWithinMs = 120_000
const settleWithinMs = 90_000

export type LoadShape = Pick<Trial, 'writers' | 'pauseMs' | 'leadS'> & {
  /** The allowed repetitions per subscription; more are a fault. */
  mayRepeat: number
  /** One of the subscriptions has a delivery policy, which older versions do not know. */
  hasPolicy?: boolean
}

/** Runs the load, the fault and the recovery, and checks everything. */
export function runTrial(trial: Trial, stage: Stage): Promise<Outcome> {
  const shape = { ...trial, mayRepeat: mayRepeatIn(trial), hasPolicy: true }
  return runUnderLoad(shape, stage, () => makeFault(trial, stage))
}

/** Like `runTrial`, with any action under the load. */
export async function runUnderLoad(
  shape: LoadShape,
  stage: Pick<Stage, 'receiver' | 'audit' | 'platform' | 'publisher'>,
  work: () => Promise<void>,
): Promise<Outcome> {
  const { receiver, audit } = stage
  const { mayRepeat, hasPolicy = false } = shape
  const refusedBefore = await audit.refused()
  // The gateway may just be closing the idle connection of the trial before.
  const tenant = await untilAnswered(() => createTenant(stage.platform))
  const subscribers = await subscribeTwice(tenant, receiver, { hasPolicy })
  if (shape.writers.http > 0) subscribers.push(await subscribeToPublished(tenant, receiver))
  using watch = new Watch(receiver, subscribers)
  let acknowledged = 0
  const delay = monitorEventLoopDelay()
  delay.enable()
  const transports = openTransports(tenant, stage, shape)
  const load = startLoad(tenant, {
    transports,
    concurrency: transports.length,
    pauseMs: shape.pauseMs,
    patienceMs: recoverWithinMs,
    onMade(made) {
      acknowledged++
      watch.made(made)
    },
  })
  const faults: string[] = []
  const outcome = { faultMs: 0, recoveryMs: null as number | null }
  const during = { from: 0, until: 0 }
  try {
    await Promise.race([load.done, wait(shape.leadS * 1_000)])
    during.from = Date.now()
    await work()
    const endedAt = Date.now()
    outcome.faultMs = endedAt - during.from
    const recoveredAt = await recovered(watch, endedAt, { load, transports })
    during.until = recoveredAt
    outcome.recoveryMs = recoveredAt - endedAt
  } catch (err) {
    during.until = Date.now()
    faults.push((err as Error).message)
  }
  load.stop()
  let accounts: Account[] = []
  let unanswered = 0
  try {
    const written = await load.done
    unanswered = written.unanswered
    accounts = await closeLedger({
      ...{ audit, receiver, subscribers, written, mayRepeat, settleWithinMs, refusedBefore },
    })
  } catch (err) {
    faults.push((err as Error).message)
  }
  const repetitions = countRepetitions(receiver, subscribers, during)
  faults.push(...unexplained(repetitions))
  forget(receiver, subscribers)
  delay.disable()
  const stoodStillMs = delay.max / 1e6
  return { ...outcome, stoodStillMs, acknowledged, unanswered, accounts, repetitions, faults }
}

/** Returns one entry per writer. */
function openTransports(
  tenant: Tenant,
  { publisher }: Pick<Stage, 'publisher'>,
  { writers }: LoadShape,
): ChangeTransport[] {
  const by = {
    rest: restTransport(tenant, { keyed: true }),
    graphql: graphqlTransport(tenant, { keyed: true }),
    topic: topicTransport(publisher, tenant),
    http: httpTransport(tenant),
  }
  return transportNames.flatMap((name) => Array.from({ length: writers[name] }, () => by[name]))
}

async function recovered(
  watch: Watch,
  endedAt: number,
  { load, transports }: { load: Load; transports: readonly ChangeTransport[] },
): Promise<number> {
  const names = [...new Set(transports.map(({ name }) => name))]
  let ended: number | null = null
  let failed: Error | null = null
  load.done.catch((err: Error) => {
    failed = err
  })
  await waitUntil(
    () => {
      if (failed !== null) throw failed
      ended = watch.recoveredAt(endedAt, names, usualMs)
      return ended !== null
    },
    { what: 'recovery', timeoutMs: recoverWithinMs },
  ).catch((err: unknown) => {
    throw new Error(`${(err as Error).message}; ${watch.missing(endedAt)} changes are missing`)
  })
  return ended ?? endedAt
}

/** Nothing may be repeated if processes shut down cleanly, or if none ends. */
function mayRepeatIn({ kind, target }: Trial): number {
  switch (kind) {
    case 'kill':
    case 'stop':
    case 'partition':
      return 2 * undecidedAtMost
    case 'restart':
      return target === 'kafka' ? undecidedAtMost : 0
    case 'slow-disk':
    case 'clock':
    case 'scale':
    case 'rolling':
      return 0
  }
}

function unexplained(repetitions: readonly Repetitions[]): string[] {
  return repetitions
    .filter(({ repeated, inFlight }) => repeated > inFlight)
    .map(({ subscriber, repeated, inFlight }) => {
      const others = repeated - inFlight
      return `${subscriber}: ${others} deliveries were repeated that were not in flight`
    })
}

function forget(receiver: Stage['receiver'], subscribers: readonly Subscriber[]): void {
  for (const { path } of subscribers) receiver.forget(path)
}
