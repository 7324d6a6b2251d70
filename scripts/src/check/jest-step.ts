import { existsSync } from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import { stripVTControlCharacters } from 'node:util'
import { type CommandResult, runCommand } from './run-command.ts'
import type { StepResult } from './step.ts'

export type JestLevel = 'unit' | 'deploy' | 'integration' | 'containers' | 'e2e' | 'faults'

export type JestStep = {
  level: JestLevel
  env: NodeJS.ProcessEnv
  dir: string
  /** Files that are left out. */
  without?: RegExp | null
}

/** From the written results to the end of the process. */
const exitGraceMs = 15_000

/** A level takes up to half an hour on two cores; a machine of half their speed is none of its faults. */
const levelTimeoutMs = 3_600_000

/** Those on the real stack, where another load on the machine can break what waits for a time. */
const levelsAgain: readonly JestLevel[] = ['integration', 'e2e', 'faults']

/** More files than these are no accident. */
const mostFilesAgain = 5

type JestReport = {
  numPassedTests: number
  numFailedTests: number
  numFailedTestSuites: number
  numPendingTests: number
  testResults: { name: string; status: string; message: string; assertionResults: unknown[] }[]
}

/** What a run came to, and the files of its failures when running them alone can tell more. */
type Run = { result: StepResult; failedFiles: readonly string[] }

/**
 * Runs one level of the tests; a suite that cannot even load counts as one failure. What failed on the
 * real stack, in at most five files, can be run again: what passes then is flaky.
 */
export async function runJest(step: JestStep): Promise<StepResult> {
  const { result, failedFiles } = await runOnce(step, step.level, [])
  if (failedFiles.length === 0 || !levelsAgain.includes(step.level)) return result
  return { ...result, again: () => runAgain(step, failedFiles, result.failed) }
}

async function runAgain(
  step: JestStep,
  files: readonly string[],
  failedBefore: number,
): Promise<StepResult> {
  const { result } = await runOnce(step, `${step.level}-again`, files)
  if (result.failed > 0) return { passed: 0, failed: failedBefore, output: result.output }
  return {
    passed: failedBefore,
    failed: 0,
    flaky: failedBefore,
    output: 'failed before, see above',
  }
}

async function runOnce(step: JestStep, name: string, files: readonly string[]): Promise<Run> {
  const resultFile = `${step.dir}/${name}.json`
  await rm(resultFile, { force: true })
  const { ok, output, hung } = await runToTheEnd(step, { name, resultFile, files })
  if (!existsSync(resultFile)) {
    return { result: { passed: 0, failed: 1, output: lastLines(output) }, failedFiles: [] }
  }
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
  // Jest can also fail as a whole: in a set-up, or because nothing was found to run.
  if (!ok && !hung && failed === 0) {
    return { result: { passed, failed: 1, output: lastLines(output) }, failedFiles: [] }
  }
  const accidental = !hung && report.numPendingTests === 0 && failures.length <= mostFilesAgain
  return {
    result: { passed, failed: failed + (hung ? 1 : 0), output: messages.join('\n') },
    failedFiles: accidental ? failures.map((failure) => failure.name) : [],
  }
}

async function runToTheEnd(
  { level, env, dir, without = null }: JestStep,
  { name, resultFile, files }: { name: string; resultFile: string; files: readonly string[] },
): Promise<CommandResult & { hung: boolean }> {
  const jest = ['node', '--experimental-vm-modules', 'node_modules/jest/bin/jest.js']
  const options = ['--config', 'jest.config.mjs', '--selectProjects', level]
  if (without !== null) options.push('--testPathIgnorePatterns', without.source)
  if (files.length > 0) options.push('--runTestsByPath', ...files)
  const order = level === 'unit' ? [] : ['--runInBand']
  const hanging = new AbortController()
  let endedAt = Number.POSITIVE_INFINITY
  const watch = setInterval(() => {
    if (existsSync(resultFile)) endedAt = Math.min(endedAt, performance.now())
    if (performance.now() - endedAt > exitGraceMs) hanging.abort()
  }, 1_000)
  const result = await runCommand({
    args: [...jest, ...options, ...order, '--json', '--outputFile', resultFile],
    env: { ...env, NODE_NO_WARNINGS: '1' },
    logFile: `${dir}/${name}.log`,
    timeoutMs: levelTimeoutMs,
    signal: hanging.signal,
  })
  clearInterval(watch)
  return { ...result, hung: hanging.signal.aborted }
}

function lastLines(output: string): string {
  const report = output.indexOf('{"numFailedTestSuites"')
  return (report === -1 ? output : output.slice(0, report)).split('\n').slice(-60).join('\n')
}
