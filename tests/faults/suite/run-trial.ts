import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as wait } from 'node:timers/promises'
import { createTenant, type Tenant } from '@surehook/scripts/client/tenant'
import { until } from '@surehook/testing/until'
import {
  type ChangeTransport,
  graphqlTransport,
  httpTransport,
  restTransport,
  topicTransport,
} from '../../support/change-transports.ts'
import { type EventAccount, EventWatch } from '../../support/deliveries/event-watch.ts'
import { undecidedAtMost } from '../../support/deliveries/fault-world.ts'
import { type Account, closeLedger } from '../../support/deliveries/ledger.ts'
import { type Load, startLoad } from '../../support/deliveries/load.ts'
import {
  type Subscriber,
  subscribeDoomed,
  subscribeToPublished,
  subscribeTwice,
} from '../../support/deliveries/subscribers.ts'
import { untilAnswered } from '../../support/until-answered.ts'
import { makeFault } from './faults/make-fault.ts'
import type { Trial } from './plan.ts'
import { countRepetitions, type Repetitions } from './repetitions.ts'
import type { Stage } from './stage/stage.ts'
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
  /** Absent if nobody followed events about deliveries. */
  events: EventAccount | null
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
  /**
   * Deliveries fail for good, and their events are checked. `deadLetters`: those of circuits may be
   * lost. Absent: older versions do not know such events.
   */
  events?: 'all' | 'deadLetters'
}

/** Runs the load, the fault and the recovery, and checks everything. */
export function runTrial(trial: Trial, stage: Stage): Promise<Outcome> {
  const events = trial.target === 'redis' || trial.from === 'redis' ? 'deadLetters' : 'all'
  const shape = { ...trial, mayRepeat: mayRepeatIn(trial), hasPolicy: true, events } as const
  return runUnderLoad(shape, stage, () => makeFault(trial, stage))
}

/** Like `runTrial`, with any action under the load. */
export async function runUnderLoad(
  shape: LoadShape,
  stage: LoadStage,
  work: () => Promise<void>,
): Promise<Outcome> {
  const { receiver, audit } = stage
  const { mayRepeat } = shape
  const refusedBefore = await audit.refused()
  const { tenant, prompt, subscribers, eventWatch } = await subscribeAll(shape, stage)
  using watch = new Watch(receiver, prompt)
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
    await eventWatch?.fail()
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
  let events: EventAccount | null = null
  let unanswered = 0
  try {
    const written = await load.done
    unanswered = written.unanswered
    accounts = await closeLedger({
      ...{ audit, receiver, subscribers, written, mayRepeat, settleWithinMs, refusedBefore },
    })
    events = await closeEvents(eventWatch, shape, audit)
    faults.push(...(events?.faults ?? []))
  } catch (err) {
    faults.push((err as Error).message)
  }
  const repetitions = countRepetitions(receiver, subscribers, during)
  faults.push(...unexplained(repetitions))
  forget(receiver, subscribers)
  eventWatch?.forget()
  delay.disable()
  const stoodStillMs = delay.max / 1e6
  const counts = { stoodStillMs, acknowledged, unanswered, accounts, events, repetitions }
  return { ...outcome, ...counts, faults }
}

type LoadStage = Pick<Stage, 'receiver' | 'audit' | 'platform' | 'publisher'>

/** @returns `prompt`: the subscribers whose deliveries come at once, unless something is wrong */
async function subscribeAll(
  { writers, hasPolicy = false, events }: LoadShape,
  { receiver, platform }: LoadStage,
) {
  // The gateway may just be closing the idle connection of the trial before.
  const tenant = await untilAnswered(() => createTenant(platform))
  const prompt = await subscribeTwice(tenant, receiver, { hasPolicy })
  if (writers.http > 0) prompt.push(await subscribeToPublished(tenant, receiver))
  if (events === undefined) return { tenant, prompt, subscribers: prompt, eventWatch: null }
  const subscribers = [...prompt, await subscribeDoomed(tenant, receiver)]
  const neighbour = await createTenant(platform)
  const eventWatch = await EventWatch.open(receiver, { tenant, neighbour }, subscribers)
  return { tenant, prompt, subscribers, eventWatch }
}

function closeEvents(
  watch: EventWatch | null,
  { events }: LoadShape,
  audit: Stage['audit'],
): Promise<EventAccount | null> {
  const options = { audit, hasCircuits: events === 'all', withinMs: settleWithinMs }
  return watch === null ? Promise.resolve(null) : watch.close(options)
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
  await until(
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
