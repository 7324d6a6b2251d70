import { existsSync } from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import { stripVTControlCharacters } from 'node:util'
import { type CommandResult, runCommand } from '../lib/run-command.ts'
import type { StepResult } from './step.ts'

export type JestLevel =
  | 'unit'
  | 'deploy'
  | 'integration'
  | 'integration-all'
  | 'containers'
  | 'e2e'
  | 'e2e-all'
  | 'faults'

export type JestStep = {
  level: JestLevel
  /** Asked before each run, because the stacks of the first may be gone by the second. */
  environment: () => Promise<NodeJS.ProcessEnv>
  dir: string
  /** Test files to skip. */
  without?: RegExp | null
  priority?: number
}

/** Runs Jest with the project's configuration. The tests run from source. */
export const jestCommand = [
  ...['node', '--conditions=source', 'node_modules/jest/bin/jest.js'],
  ...['--config', 'jest.config.mjs'],
]

/**
 * How many test files run at once on two cores. Those on a shared stack mostly wait, and each
 * worker has its own stack.
 */
const workersOf: Readonly<Record<JestLevel, number>> = {
  unit: 2,
  deploy: 2,
  integration: 4,
  'integration-all': 3,
  containers: 2,
  e2e: 3,
  'e2e-all': 3,
  // Two, because these tests load the system while they break it.
  faults: 2,
}
/** The number of shared stacks. */
export const testWorkers = Math.max(workersOf.integration, workersOf.e2e)

/** How long Jest may take to exit after it wrote its results. */
const exitGraceMs = 15_000

/**
 * A level takes 10 to 20 minutes on two cores. A machine of half the speed must not fail because of
 * it.
 */
const levelTimeoutMs = 3_600_000

/** More failed files than this are no accident, even on a slow machine. */
const mostFilesAgain = 12

type JestReport = {
  numPassedTests: number
  numFailedTests: number
  numFailedTestSuites: number
  numPendingTests: number
  testResults: { name: string; status: string; message: string; assertionResults: unknown[] }[]
}

/** The result of a run. `again` lists the failed files, if running them alone may help. */
type Run = StepResult & { again: readonly string[] }

/**
 * Runs one level of tests. A suite that cannot load counts as one failure. Up to `mostFilesAgain`
 * failed files can run once more alone. Those that then pass are reported as flaky, with their
 * first failure.
 */
export async function runJest(step: JestStep): Promise<StepResult> {
  const { again, ...first } = await runOnce(step, step.level, [])
  // The tests of images share no time with others that could have broken them.
  if (again.length === 0 || step.level === 'containers') return first
  return { ...first, alone: () => runAlone(step, first, again) }
}

async function runAlone(
  step: JestStep,
  { passed, failed, output }: StepResult,
  files: readonly string[],
): Promise<StepResult> {
  // The costs of the level are those of its first run.
  const environment = async () => ({
    ...(await step.environment()),
    TEST_COSTS_DIR: `${step.dir}/costs-again`,
  })
  const second = await runOnce({ ...step, environment }, `${step.level}-again`, files)
  if (second.failed > 0) return { passed, failed, output: `${output}\n\nalone:\n${second.output}` }
  return { passed: passed + failed, failed: 0, flaky: failed, output }
}

async function runOnce(step: JestStep, name: string, files: readonly string[]): Promise<Run> {
  const resultFile = `${step.dir}/${name}.json`
  await rm(resultFile, { force: true })
  const { ok, output, hung } = await runToTheEnd(step, { name, resultFile, files })
  if (!existsSync(resultFile)) return { passed: 0, failed: 1, output: lastLines(output), again: [] }
  const report = JSON.parse(await readFile(resultFile, 'utf8')) as JestReport
  const passed = report.numPassedTests
  const failures = report.testResults.filter(({ status }) => status === 'failed')
  const unloadable = failures.filter(({ assertionResults }) => assertionResults.length === 0).length
  const failed = report.numFailedTests + report.numPendingTests + unloadable
  const messages = [
    report.numPendingTests > 0 ? `${report.numPendingTests} skipped tests` : '',
    ...failures.map(({ message }) => stripVTControlCharacters(message)),
    hung ? 'the tests ended but their process did not: something they opened is still open' : '',
  ].filter((message) => message !== '')
  // Jest can also fail without a failed test: in a set-up, or because it found no tests.
  if (!ok && !hung && failed === 0) {
    return { passed, failed: 1, output: lastLines(output), again: [] }
  }
  const accidental = !hung && report.numPendingTests === 0 && failures.length <= mostFilesAgain
  return {
    passed,
    failed: failed + (hung ? 1 : 0),
    output: messages.join('\n'),
    again: accidental ? failures.map((failure) => failure.name) : [],
  }
}

async function runToTheEnd(
  { level, environment, dir, without = null, priority = 0 }: JestStep,
  { name, resultFile, files }: { name: string; resultFile: string; files: readonly string[] },
): Promise<CommandResult & { hung: boolean }> {
  const options = ['--selectProjects', level]
  if (without !== null) options.push('--testPathIgnorePatterns', without.source)
  if (files.length > 0) options.push('--runTestsByPath', ...files)
  const order = files.length > 0 ? ['--runInBand'] : [`--maxWorkers=${workersOf[level]}`]
  const env = await environment()
  const hanging = new AbortController()
  let endedAt = Number.POSITIVE_INFINITY
  const watch = setInterval(() => {
    if (existsSync(resultFile)) endedAt = Math.min(endedAt, performance.now())
    if (performance.now() - endedAt > exitGraceMs) hanging.abort()
  }, 1_000)
  const result = await runCommand({
    args: [...jestCommand, ...options, ...order, '--json', '--outputFile', resultFile],
    env: { ...env, NODE_NO_WARNINGS: '1' },
    logFile: `${dir}/${name}.log`,
    timeoutMs: levelTimeoutMs,
    signal: hanging.signal,
    priority,
  })
  clearInterval(watch)
  return { ...result, hung: hanging.signal.aborted }
}

function lastLines(output: string): string {
  const report = output.indexOf('{"numFailedTestSuites"')
  return (report === -1 ? output : output.slice(0, report)).split('\n').slice(-60).join('\n')
}
