import { setTimeout as wait } from 'node:timers/promises'
import { removeContainersOf, requireDocker } from './docker.ts'

/** A process of its own: removes the stack's containers when whoever has started it is gone, however that ended. */
const [stackId] = process.argv.slice(2)
if (stackId === undefined) throw new Error('usage: reaper.ts <stack id>')
process.stdin.resume().once('end', () => void reap(stackId))

async function reap(id: string): Promise<void> {
  const docker = await requireDocker()
  await removeContainersOf(id, docker)
  // One that Docker was making when its owner died is shown only when it is made.
  await wait(5_000)
  await removeContainersOf(id, docker)
}
