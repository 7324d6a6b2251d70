import { chooseInfra } from '../../../scripts/src/containers/choose-infra.ts'
import { startStacks } from '../../../scripts/src/containers/start-stack.ts'

/** Jest's global set-up: starts a stack for each worker, unless the environment names one. */
export default async function openStacks({ maxWorkers }) {
  // Chosen once per run, so that tests with their own stack use the same kind.
  process.env.TEST_INFRA = await chooseInfra(process.env)
  if (process.env.TEST_DATABASE_URL !== undefined || process.env.TEST_STACKS !== undefined) return
  const dir = `${import.meta.dirname}/../../../.local/test-stacks/${process.pid}`
  const stacks = await startStacks(maxWorkers, { dir })
  process.env.TEST_STACKS = JSON.stringify(stacks.endpoints)
  globalThis.surehookStacks = { stacks, dir }
}
