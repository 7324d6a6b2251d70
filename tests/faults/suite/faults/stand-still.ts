import type { ProcessHandle } from '@surehook/scripts/lib/processes/managed-process'
import { treeOf } from './process-tree.ts'

/** Stops the processes and always continues them, whatever happens meanwhile. */
export async function standStill(
  victims: readonly ProcessHandle[],
  lasts: () => Promise<void>,
): Promise<void> {
  const pids = victims.flatMap(({ pid }) => (pid === undefined ? [] : treeOf(pid)))
  for (const pid of pids) process.kill(pid, 'SIGSTOP')
  try {
    await lasts()
  } finally {
    for (const pid of pids) process.kill(pid, 'SIGCONT')
  }
}
