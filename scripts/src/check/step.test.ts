import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals'
import { runSteps, type Step, type StepResult } from './step.ts'

const passed = { passed: 1, failed: 0, output: '' }
const failed = { passed: 2, failed: 1, output: 'no' }
const step = (name: string, result: StepResult, needs: readonly string[] = []): Step => ({
  name,
  needs,
  run: async () => result,
})

beforeEach(() => void jest.spyOn(console, 'log').mockImplementation(() => undefined))
afterEach(() => void jest.restoreAllMocks())

describe('runSteps', () => {
  it('counts failed steps, and the steps that need them', async () => {
    const steps = [step('build', failed), step('tests', passed, ['build']), step('docs', passed)]
    expect(await runSteps(steps)).toEqual({ passed: 3, failed: 2, flaky: 0 })
  })

  it('runs lines side by side, and what needs a failed first step in none of them', async () => {
    const met = Promise.withResolvers<void>()
    const waiting = { name: 'waits', run: () => met.promise.then(() => passed) }
    const meeting = { name: 'meets', run: async () => (met.resolve(), passed) }
    const lines = [[waiting, step('unit', passed, ['build'])], [meeting]]
    expect(await runSteps([step('build', failed)], ...lines)).toEqual({
      passed: 4,
      failed: 2,
      flaky: 0,
    })
  })

  it('repeats what may pass alone when nothing else runs, and counts only the second result', async () => {
    const ran: string[] = []
    const noted = (name: string, result: StepResult): Step => ({
      name,
      run: async () => (ran.push(name), result),
    })
    const alone = async () => (ran.push('alone'), { passed: 3, failed: 0, output: 'no', flaky: 1 })
    const lines = [
      [noted('e2e', { ...failed, alone }), noted('more', passed)],
      [noted('a', passed)],
    ]
    expect(await runSteps([], ...lines)).toEqual({ passed: 5, failed: 0, flaky: 1 })
    expect(ran.at(-1)).toBe('alone')
    expect(ran).toHaveLength(4)
  })
})
