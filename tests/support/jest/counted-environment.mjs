import { ModernFakeTimers } from '@jest/fake-timers'
import { ModuleMocker } from 'jest-mock'
import { countCost } from './spent.mjs'

/**
 * The environment of a test file is that of its process. What a file changed in it is changed back.
 * Counts the CPU time of the file.
 */
export default class CountedEnvironment {
  global = globalThis
  fakeTimersModern
  moduleMocker = new ModuleMocker(globalThis)
  #end
  #before = { env: { ...process.env }, exit: process.exit, console: globalThis.console }

  constructor({ projectConfig }, { testPath }) {
    this.fakeTimersModern = new ModernFakeTimers({ config: projectConfig, global: globalThis })
    this.#end = countCost(testPath)
  }

  /** The part of Jest's object that tests use. */
  get jest() {
    const timers = this.fakeTimersModern
    const mocker = this.moduleMocker
    return {
      fn: mocker.fn.bind(mocker),
      spyOn: mocker.spyOn.bind(mocker),
      restoreAllMocks: mocker.restoreAllMocks.bind(mocker),
      useFakeTimers: (options) => timers.useFakeTimers(options),
      useRealTimers: () => timers.useRealTimers(),
      setSystemTime: (now) => timers.setSystemTime(now),
      getTimerCount: () => timers.getTimerCount(),
      advanceTimersByTime: (ms) => timers.advanceTimersByTime(ms),
      advanceTimersByTimeAsync: (ms) => timers.advanceTimersByTimeAsync(ms),
    }
  }

  getVmContext() {
    return null
  }

  async setup() {}

  async teardown() {
    const { env, exit, console } = this.#before
    this.fakeTimersModern.useRealTimers()
    this.moduleMocker.restoreAllMocks()
    for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name]
    Object.assign(process.env, env)
    process.exit = exit
    globalThis.console = console
    this.#end()
  }
}
