import { rm } from 'node:fs/promises'

/** Jest's global tear-down: ends the stack that `open-stack.mjs` started, if it did. */
export default async function closeStack() {
  if (globalThis.surehookStack === undefined) return
  const { stack, dir } = globalThis.surehookStack
  delete process.env.TEST_DATABASE_URL
  globalThis.surehookStack = undefined
  await stack.stop()
  await rm(dir, { recursive: true, force: true })
}
