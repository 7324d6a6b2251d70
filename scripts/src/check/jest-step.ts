import { existsSync } from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import { runCommand } from './run-command.ts'
import type { StepResult } from './step.ts'

export type JestLevel = 'unit' | 'integration' | 'e2e' | 'faults'

export type JestStep = { level: JestLevel; env: NodeJS.ProcessEnv; dir: string }

type JestReport = {
  numPassedTests: number
  numFailedTests: number
  numFailedTestSuites: number
  numPendingTests: number
  testResults: { status: string; message: string; assertionResults: unknown[] }[]
}

/** Runs one level of the tests; a suite that cannot even load counts as one failure. */
export async function runJest({ level, env, dir }: JestStep): Promise<StepResult> {
  const resultFile = `${dir}/${level}.json`
  await rm(resultFile, { force: true })
  const jest = ['node', '--experimental-vm-modules', 'node_modules/jest/bin/jest.js']
  const options = ['--config', 'jest.config.mjs', '--selectProjects', level]
  const order = level === 'unit' ? [] : ['--runInBand']
  const { ok, output } = await runCommand({
    args: [...jest, ...options, ...order, '--json', '--outputFile', resultFile],
    env: { ...env, NODE_NO_WARNINGS: '1' },
    logFile: `${dir}/${level}.log`,
  })
  if (!existsSync(resultFile)) return { passed: 0, failed: 1, output: lastLines(output) }
  const report = JSON.parse(await readFile(resultFile, 'utf8')) as JestReport
  const failures = report.testResults.filter(({ status }) => status === 'failed')
  const unloadable = failures.filter(({ assertionResults }) => assertionResults.length === 0).length
  const failed = report.numFailedTests + report.numPendingTests + unloadable
  const messages = failures.map(({ message }) => message).join('\n')
  // Jest can also fail as a whole: in a set-up, or because nothing was found to run.
  if (!ok && failed === 0)
    return { passed: report.numPassedTests, failed: 1, output: lastLines(output) }
  const skipped = report.numPendingTests > 0 ? `${report.numPendingTests} skipped tests\n` : ''
  return { passed: report.numPassedTests, failed, output: `${skipped}${messages}` }
}

function lastLines(output: string): string {
  const report = output.indexOf('{"numFailedTestSuites"')
  return (report === -1 ? output : output.slice(0, report)).split('\n').slice(-60).join('\n')
}
