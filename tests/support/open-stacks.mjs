import { chooseInfra } from '../../scripts/src/containers/choose-infra.ts'
import { startStacks } from '../../scripts/src/containers/start-stack.ts'

/** Jest's global set-up: a stack for each of its workers, unless the environment names one. */
export default async function openStacks({ maxWorkers }) {
  // Once for the run: tests with a stack of their own make it in the same way.
  process.env.TEST_INFRA = await chooseInfra(process.env)
  if (process.env.TEST_DATABASE_URL !== undefined || process.env.TEST_STACKS !== undefined) return
  const dir = `${import.meta.dirname}/../../.local/test-stacks/${process.pid}`
  const stacks = await startStacks(maxWorkers, { dir })
  process.env.TEST_STACKS = JSON.stringify(stacks.endpoints)
  globalThis.surehookStacks = { stacks, dir }
}
