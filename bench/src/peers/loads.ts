import {
  type CalmRun,
  calmRates,
  cpuOf,
  measureAtRate,
  measureRest,
  openCalm,
  secondsOf,
} from '../calm/readings.ts'
import type { DeliveryRun } from '../deliveries/delivery-run.ts'
import { restFlatOut, writers } from '../deliveries/rest.ts'
import { changesFor, fromTopic } from '../deliveries/topic.ts'
import { tlsPostsPerSecond } from '../load/limit.ts'
import { cpuBetween, pssMiBOf, servicesOf, type Usage, usageOf } from '../measure/processes.ts'
import type { Bench } from '../platform/open-bench.ts'
import type { LoadFigures, StateFigures } from './figures.ts'

export type Load = {
  name: string
  /** `full`: as fast as the system takes it. `calm`: at a low rate. */
  kind: 'full' | 'calm'
  measure: () => Promise<LoadFigures>
}

const fanOuts = [1, 10] as const
const limitSeconds = 3
/** At one change per second, a shorter time would measure only a few changes. */
const slowestSeconds = 30

/** The loads for which other systems publish figures. */
export function loadsOf(
  bench: Bench,
  { seconds, changes }: { seconds: number; changes: number },
): Load[] {
  const measured = (run: () => Promise<Omit<LoadFigures, 'limit'>>) => async () => {
    const limit = await tlsPostsPerSecond(bench, limitSeconds)
    return { ...(await run()), limit }
  }
  const full = fanOuts.flatMap((fanOut): Load[] => [
    {
      name: `from the topic, fan-out ${fanOut}`,
      kind: 'full',
      measure: measured(async () =>
        figuresOf(await fromTopic(bench, { fanOut, count: changesFor(fanOut, changes) })),
      ),
    },
    {
      name: `REST, ${writers} writers, fan-out ${fanOut}`,
      kind: 'full',
      measure: measured(async () => figuresOf(await restFlatOut(bench, { fanOut, seconds }))),
    },
  ])
  const calm = calmRates.map((perSecond): Load => {
    const load = { perSecond, seconds: perSecond === 1 ? slowestSeconds : seconds }
    return {
      name: `REST, ${perSecond.toLocaleString('en')} changes/s`,
      kind: 'calm',
      measure: measured(async () =>
        calmFiguresOf(await measureAtRate(bench, await openCalm(bench), load)),
      ),
    }
  })
  return [...full, ...calm]
}

function figuresOf({ report, ms, before, after }: DeliveryRun): Omit<LoadFigures, 'limit'> {
  const cpuS = cpuBetween(before, after)
  const { latency, unique, repeated, missing } = report
  return {
    rate: (unique * 1_000) / ms,
    cpuS: (cpuS * 1_000) / unique,
    cores: (cpuS * 1_000) / ms,
    ...{ p50: latency.p50, p99: latency.p99, repeated, missing },
  }
}

function calmFiguresOf(run: CalmRun): Omit<LoadFigures, 'limit'> {
  const { before, after, report } = run
  const ms = secondsOf(run) * 1_000
  return figuresOf({ report, ms, before: before.usage, after: after.usage })
}

/** Measures before any load except the few changes that warm up the system. */
export async function idle(bench: Bench, seconds: number): Promise<StateFigures> {
  await openCalm(bench)
  const span = await measureRest(bench, seconds)
  return stateOf(span.after.usage, cpuOf(span) / secondsOf(span))
}

const settleSeconds = 5

export async function stateNow(bench: Bench): Promise<StateFigures> {
  const span = await measureRest(bench, settleSeconds)
  return stateOf(usageOf(bench.runDirs), cpuOf(span) / secondsOf(span))
}

const stateOf = (usage: Usage, cores: number): StateFigures => ({
  allMiB: pssMiBOf(usage),
  servicesMiB: pssMiBOf(servicesOf(usage)),
  cores,
})
