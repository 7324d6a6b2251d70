import { randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { localDir } from '@surehook/scripts/lib/paths'
import { removeStackData } from '@surehook/scripts/local-stack/local-stack'
import { kinds, makePlan, type Trial, targets } from './suite/plan.ts'
import { describeOutcome, describeTrial } from './suite/report.ts'
import { runTrial } from './suite/run-trial.ts'
import { openStage, type Stage } from './suite/stage/stage.ts'

/**
 * The short form of `npm run faults`: the faults most likely to repeat deliveries or to block them.
 */
const short = [
  ['stop', 'webhook-dispatcher', null],
  ['partition', 'webhook-dispatcher', 'kafka'],
  ['slow-disk', 'postgres', null],
  ['clock', 'data-api', null],
  ['scale', 'webhook-matcher', null],
  ['scale', 'webhook-dispatcher', null],
] as const
const longestS = 4
/** Longer than a group member's session, so that another member has taken over its partitions. */
const stopSeconds = 12
const seed = Number(process.env['FAULTS_SEED'] ?? 9)

const planOf = (of: number) => makePlan({ seed: of, kinds, targets, rounds: 1, stopSeconds })

describe('a plan', () => {
  it('is the same for the same seed, and differs for another seed', () => {
    expect(planOf(1)).toEqual(planOf(1))
    expect(planOf(1)).not.toEqual(planOf(2))
  })

  it('holds the same faults when only some are asked for', () => {
    const options = { seed, kinds, rounds: 2, stopSeconds: 30 }
    const all = makePlan({ ...options, targets })
    const some = makePlan({ ...options, targets: ['kafka'] })
    expect(some).toEqual(all.filter(({ target }) => target === 'kafka'))
    expect(some.length).toBeGreaterThan(0)
  })
})

describe(`two replicas of every service, seed ${seed}`, () => {
  const dir = `${localDir}/test-systems/faults-${randomUUID().slice(0, 8)}`
  let stage: Stage

  beforeAll(async () => {
    stage = await openStage(dir)
  })
  afterAll(async () => {
    await stage?.[Symbol.asyncDispose]()
    await removeStackData(`${dir}/stack`)
    await rm(dir, { recursive: true, force: true })
  })

  it.each(shortPlan().map((trial) => [describeTrial(trial), trial] as const))(
    '%s: nothing is lost, stuck or repeated without need',
    async (what, trial) => {
      // A preloaded library slows the disk, which requires Linux and a C compiler.
      if (trial.kind === 'slow-disk' && stage.slowDisk === null) {
        process.stdout.write(`${what}: no C compiler here, not tested\n`)
        return
      }
      const outcome = await runTrial(trial, stage)
      process.stdout.write(`${what}\n${describeOutcome(outcome)}\n`)
      expect(outcome.faults).toEqual([])
    },
    300_000,
  )
})

function shortPlan(): Trial[] {
  const plan = planOf(seed)
  return short.flatMap(([kind, target, from]) =>
    plan
      .filter((trial) => trial.kind === kind && trial.target === target && trial.from === from)
      .map((trial) => ({ ...trial, ...(kind !== 'stop' && shortened(trial)), leadS: 1 })),
  )
}

function shortened({ seconds }: Trial): Pick<Trial, 'seconds'> {
  return { seconds: Math.min(seconds, longestS) }
}
