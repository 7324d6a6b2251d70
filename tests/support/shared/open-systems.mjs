import openStacks from '../jest/open-stacks.mjs'
import { openSharedSystems } from './shared-systems.ts'

/** Jest's global set-up: a stack for each worker, and a system on it once a test shares one. */
export default async function openSystems(config) {
  await openStacks(config)
  globalThis.surehookSystems = await openSharedSystems(JSON.parse(process.env.TEST_STACKS))
  process.env.TEST_SHARED_SYSTEMS = globalThis.surehookSystems.url
}
