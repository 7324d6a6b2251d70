import { createRequire, registerHooks } from 'node:module'
import { pathToFileURL } from 'node:url'
import { useGlobals } from './globals.mjs'

const require = createRequire(import.meta.url)

registerHooks({
  resolve: (specifier, context, next) =>
    specifier === '@jest/globals'
      ? { url: new URL('globals.mjs', import.meta.url).href, shortCircuit: true }
      : next(specifier, context),
})

/**
 * Jest's runtime without its module system: Node itself loads the tests and what they import, as it
 * does in the services. The files of a worker share their modules. Jest would load and compile all
 * modules again for each file, and half of the CPU time of the tests went there.
 */
export default class NativeRuntime {
  #environment

  constructor(_config, environment) {
    this.#environment = environment
  }

  /** Loads jest-circus. Each file gets a new one, because it keeps the tests of a file. */
  requireInternalModule(path) {
    delete globalThis[Symbol.for('EVENT_HANDLERS')]
    delete require.cache[path]
    return require(path)
  }

  requireModule(path) {
    return require(path)
  }

  unstable_shouldLoadAsEsm() {
    return true
  }

  async unstable_importModule(path) {
    await import(pathToFileURL(path).href)
  }

  setGlobalsForRuntime(globals) {
    useGlobals({ ...globals, jest: this.#environment.jest })
  }

  getSourceMaps() {
    return new Map()
  }

  getAllCoverageInfoCopy() {
    return {}
  }

  enterTestCode() {}

  leaveTestCode() {}

  teardown() {}
}
