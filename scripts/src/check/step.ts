import { type Command, runCommand } from '../lib/run-command.ts'

export type StepResult = {
  passed: number
  failed: number
  output: string
  /** How many of the passed tests had failed at first; the output has their failures. */
  flaky?: number
  /** Repeats what failed, when nothing else runs. Returns the result of both runs. */
  alone?: () => Promise<StepResult>
}

export type Step = {
  name: string
  run: () => Promise<StepResult>
  /** The names of steps that must succeed, or this step has no meaning. */
  needs?: readonly string[]
}

/** A step that runs a command; its exit code decides. */
export function commandStep(
  name: string,
  args: readonly string[],
  options: Pick<Command, 'cwd' | 'priority' | 'timeoutMs'> = {},
): Step {
  return {
    name,
    run: async () => {
      const { ok, output } = await runCommand({ args, ...options })
      return ok ? { passed: 1, failed: 0, output: '' } : { passed: 0, failed: 1, output }
    },
  }
}

export type Total = { passed: number; failed: number; flaky: number }

type Progress = { total: Total; broken: Set<string>; again: Step[] }

/**
 * Runs the first steps one after the other, then the lines of steps side by side, and last what
 * failed and may pass alone. Each step prints a line when it ends. A failure stops no other step,
 * except those that need the one that failed.
 */
export async function runSteps(
  first: readonly Step[],
  ...lines: readonly (readonly Step[])[]
): Promise<Total> {
  const total: Total = { passed: 0, failed: 0, flaky: 0 }
  const progress: Progress = { total, broken: new Set(), again: [] }
  const inTurn = async (steps: readonly Step[]) => {
    for (const step of steps) await runStep(step, progress)
  }
  await inTurn(first)
  await Promise.all(lines.map(inTurn))
  await inTurn(progress.again)
  return total
}

async function runStep(step: Step, { total, broken, again }: Progress): Promise<void> {
  const missing = step.needs?.find((name) => broken.has(name))
  const startedAt = performance.now()
  const result = missing ? skippedFor(missing) : await attempt(step)
  const { passed, failed, output, flaky = 0, alone } = result
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
  if (alone !== undefined) {
    again.push({ name: `${step.name} again`, run: alone })
    console.log(`${step.name.padEnd(14)} ${failed} failed, and run again at the end ${seconds} s`)
    return
  }
  if (failed > 0) broken.add(step.name)
  total.passed += passed
  total.failed += failed
  total.flaky += flaky
  const doubts = `${failed > 0 ? `, ${failed} FAILED` : ''}${flaky > 0 ? `, ${flaky} FLAKY` : ''}`
  const counts = `${passed} passed${doubts}`
  console.log(`${step.name.padEnd(14)} ${counts.padEnd(24)} ${seconds} s`)
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
