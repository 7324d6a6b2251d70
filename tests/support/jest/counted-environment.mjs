import { TestEnvironment } from 'jest-environment-node'
import { countCost } from './spent.mjs'

/** Counts the CPU time of a test file. */
export default class CountedEnvironment extends TestEnvironment {
  #end

  constructor(config, context) {
    super(config, context)
    this.#end = countCost(context.testPath)
  }

  async teardown() {
    await super.teardown()
    this.#end()
  }
}
