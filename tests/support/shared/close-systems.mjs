import closeStacks from '../jest/close-stacks.mjs'

/** Jest's global tear-down: stops what `open-systems.mjs` started. */
export default async function closeSystems() {
  delete process.env.TEST_SHARED_SYSTEMS
  try {
    await globalThis.surehookSystems?.[Symbol.asyncDispose]()
  } finally {
    globalThis.surehookSystems = undefined
    await closeStacks()
  }
}
