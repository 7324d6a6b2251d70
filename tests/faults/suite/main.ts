import { randomInt } from 'node:crypto'
import { parseArgs } from 'node:util'
import { localDir } from '@surehook/scripts/lib/paths'
import { runCommand } from '@surehook/scripts/lib/run-command'
import { emptyDir } from './empty-dir.ts'
import {
  type Kind,
  kinds,
  makePlan,
  type PlanOptions,
  type Target,
  type Trial,
  targets,
} from './plan.ts'
import { describeOutcome, describeTotal, describeTrial } from './report.ts'
import { type Outcome, runTrial } from './run-trial.ts'
import { openStage, type Stage } from './stage/stage.ts'

/**
 * `npm run faults`: makes every part of a loaded system fail in turn. Exits with 1 if anything is
 * lost or stuck.
 */
const usage = `npm run faults -- [--seed <number>] [--only kafka,data-api] [--kinds kill,stop] [--rounds 1] [--stop-seconds 30] [--dir .local/faults] [--plan]
targets: ${targets.join(', ')}
kinds:   ${kinds.join(', ')}`

const say = (line: string) => void process.stdout.write(`${line}\n`)

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    only: { type: 'string' },
    kinds: { type: 'string' },
    rounds: { type: 'string', default: '1' },
    'stop-seconds': { type: 'string', default: '30' },
    dir: { type: 'string', default: `${localDir}/faults` },
    plan: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})

if (values.help) say(usage)
else process.exitCode = (await main()) ? 0 : 1

async function main(): Promise<boolean> {
  const options: PlanOptions = {
    seed: number(values.seed ?? String(randomInt(2 ** 31)), 'seed'),
    targets: chosen<Target>(values.only, targets, 'only'),
    kinds: chosen<Kind>(values.kinds, kinds, 'kinds'),
    rounds: number(values.rounds, 'rounds'),
    stopSeconds: number(values['stop-seconds'], 'stop-seconds'),
  }
  const plan = makePlan(options)
  say(`seed ${options.seed}: ${plan.length} faults (--seed ${options.seed} makes the same again)`)
  if (values.plan) {
    for (const [index, trial] of plan.entries()) say(`${index + 1}. ${describeTrial(trial)}`)
    return true
  }
  await build()
  await using stage = await openStage(await emptyDir(values.dir))
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void end(stage))
  const outcomes = await makeAll(plan, stage)
  say(`\nseed ${options.seed}: ${describeTotal(outcomes)}`)
  return outcomes.every(({ faults }) => faults.length === 0)
}

async function makeAll(plan: readonly Trial[], stage: Stage): Promise<Outcome[]> {
  if (stage.slowDisk === null) say('no C compiler (cc), or not Linux: slow disks are left out')
  const outcomes: Outcome[] = []
  for (const [index, trial] of plan.entries()) {
    if (trial.kind === 'slow-disk' && stage.slowDisk === null) continue
    say(`${String(index + 1).padStart(3)}. ${new Date().toISOString()} ${describeTrial(trial)}`)
    const outcome = await runTrial(trial, stage)
    outcomes.push(outcome)
    say(describeOutcome(outcome))
  }
  return outcomes
}

async function end(stage: Stage): Promise<void> {
  await stage[Symbol.asyncDispose]()
  process.exit(130)
}

async function build(): Promise<void> {
  const built = await runCommand({ args: ['npm', 'run', '-s', 'build'] })
  if (!built.ok) throw new Error(`the build failed:\n${built.output}`)
}

function number(text: string, name: string): number {
  if (!/^\d{1,10}$/.test(text)) throw new Error(`--${name} must be a whole number\n${usage}`)
  return Number(text)
}

function chosen<T extends string>(text: string | undefined, all: readonly T[], name: string): T[] {
  if (text === undefined) return [...all]
  return text.split(',').map((given) => {
    const found = all.find((one) => one === given)
    if (found === undefined) throw new Error(`--${name}: there is no "${given}"\n${usage}`)
    return found
  })
}
