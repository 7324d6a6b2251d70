import { rm } from 'node:fs/promises'

/** Jest's global tear-down: stops the stacks that `open-stacks.mjs` started. */
export default async function closeStacks() {
  if (globalThis.surehookStacks === undefined) return
  const { stacks, dir } = globalThis.surehookStacks
  delete process.env.TEST_STACKS
  globalThis.surehookStacks = undefined
  await stacks.stop()
  await rm(dir, { recursive: true, force: true })
}
