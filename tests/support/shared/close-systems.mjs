import closeStacks from '../close-stacks.mjs'

/** Jest's global tear-down: stops what `open-systems.mjs` started. */
export default async function closeSystems() {
  delete process.env.TEST_SHARED_SYSTEMS
  await globalThis.surehookSystems?.[Symbol.asyncDispose]()
  globalThis.surehookSystems = undefined
  await closeStacks()
}
