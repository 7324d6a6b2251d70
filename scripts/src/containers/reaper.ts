import { setTimeout as wait } from 'node:timers/promises'
import { removeContainersOf, requireDocker } from './docker.ts'

/** A separate process that removes the stack's containers when its parent ends in any way. */
const [stackId] = process.argv.slice(2)
if (stackId === undefined) throw new Error('usage: reaper.ts <stack id>')
process.stdin.resume().once('end', () => void reap(stackId))

async function reap(id: string): Promise<void> {
  const docker = await requireDocker()
  await removeContainersOf(id, docker)
  // Waits, because a container that Docker was creating becomes visible only afterwards.
  await wait(5_000)
  await removeContainersOf(id, docker)
}
