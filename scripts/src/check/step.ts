import { runCommand } from './run-command.ts'

export type StepResult = {
  passed: number
  failed: number
  output: string
  /** How many of the passed tests had failed at first. */
  flaky?: number
}

export type Step = {
  name: string
  run: () => Promise<StepResult>
  /** The names of steps that must succeed, or this step has no meaning. */
  needs?: readonly string[]
}

/** A step that runs a command; its exit code decides. */
export function commandStep(name: string, args: readonly string[]): Step {
  return {
    name,
    run: async () => {
      const { ok, output } = await runCommand({ args })
      return ok ? { passed: 1, failed: 0, output: '' } : { passed: 0, failed: 1, output }
    },
  }
}

/** Runs the steps one after another, prints a line for each, and continues after failures. */
export async function runSteps(
  steps: readonly Step[],
): Promise<{ passed: number; failed: number; flaky: number }> {
  const total = { passed: 0, failed: 0, flaky: 0 }
  const broken = new Set<string>()
  for (const step of steps) {
    const missing = step.needs?.find((name) => broken.has(name))
    const startedAt = performance.now()
    const {
      passed,
      failed,
      output,
      flaky = 0,
    } = missing ? skippedFor(missing) : await attempt(step)
    if (failed > 0) broken.add(step.name)
    total.passed += passed
    total.failed += failed
    total.flaky += flaky
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
    const doubts = `${failed > 0 ? `, ${failed} FAILED` : ''}${flaky > 0 ? `, ${flaky} FLAKY` : ''}`
    const counts = `${passed} passed${doubts}`
    console.log(`${step.name.padEnd(14)} ${counts.padEnd(24)} ${seconds} s`)
    if (failed + flaky > 0) console.log(`${shortened(output)}\n`)
  }
  return total
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
