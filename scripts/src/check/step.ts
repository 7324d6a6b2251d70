import { runCommand } from './run-command.ts'

export type StepResult = {
  passed: number
  failed: number
  output: string
  /** Of those that passed: how many had failed before, as the output tells. */
  flaky?: number
  /** Runs what failed once more, when nothing else runs. Its result replaces the failures. */
  again?: (() => Promise<StepResult>) | undefined
}

export type Step = {
  name: string
  run: () => Promise<StepResult>
  /** Names of the steps without whose success this one says nothing. */
  needs?: readonly string[]
}

/** A check that a command makes: its exit code is the answer. */
export function commandStep(name: string, args: readonly string[]): Step {
  return {
    name,
    run: async () => {
      const { ok, output } = await runCommand({ args })
      return ok ? { passed: 1, failed: 0, output: '' } : { passed: 0, failed: 1, output }
    },
  }
}

/** Runs the steps one after the other, each with a line, and goes on after a failure. What can be run again is, at the end. */
export async function runSteps(
  steps: readonly Step[],
): Promise<{ passed: number; failed: number; flaky: number }> {
  const total = { passed: 0, failed: 0, flaky: 0 }
  const broken = new Set<string>()
  const runAgain: Step[] = []
  const runOne = async (step: Step) => {
    const missing = step.needs?.find((name) => broken.has(name))
    const startedAt = performance.now()
    const result = missing ? skippedFor(missing) : await attempt(step)
    const { passed, failed, flaky = 0, again } = result
    if (failed > 0) broken.add(step.name)
    total.passed += passed
    total.flaky += flaky
    if (again === undefined) total.failed += failed
    else runAgain.push({ name: `${step.name} again`, run: again })
    print(step, result, performance.now() - startedAt)
  }
  for (const step of steps) await runOne(step)
  for (const step of runAgain) await runOne(step)
  return total
}

function print({ name }: Step, result: StepResult, ms: number): void {
  const { passed, failed, output, flaky = 0 } = result
  const doubts = `${failed > 0 ? `, ${failed} FAILED` : ''}${flaky > 0 ? `, ${flaky} FLAKY` : ''}`
  const counts = `${passed} passed${doubts}`
  console.log(`${name.padEnd(18)} ${counts.padEnd(24)} ${(ms / 1000).toFixed(1)} s`)
  if (failed + flaky > 0) console.log(`${shortened(output)}\n`)
}

const longestOutput = 200

function shortened(output: string): string {
  const lines = output.trimEnd().split('\n')
  const left = lines.length - longestOutput
  return [...lines.slice(0, longestOutput), ...(left > 0 ? [`… and ${left} more lines`] : [])].join(
    '\n',
  )
}

async function attempt(step: Step): Promise<StepResult> {
  try {
    return await step.run()
  } catch (err) {
    return { passed: 0, failed: 1, output: err instanceof Error ? err.message : String(err) }
  }
}

function skippedFor(missing: string): StepResult {
  return { passed: 0, failed: 1, output: `not run: "${missing}" failed` }
}
