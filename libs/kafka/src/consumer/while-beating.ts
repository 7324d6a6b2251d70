import { setTimeout as wait } from 'node:timers/promises'

const beatEveryMs = 1_000

/** Waits for `work` in a batch's handler, and remains a member of the group meanwhile. */
export async function whileBeating(
  work: Promise<void>,
  heartbeat: () => Promise<void>,
): Promise<void> {
  const ended = new AbortController()
  const done = work.finally(() => ended.abort())
  // Left behind when a heartbeat says that the group is joined anew.
  done.catch(() => undefined)
  while (!ended.signal.aborted) {
    const beat = wait(beatEveryMs, undefined, { signal: ended.signal }).catch(() => undefined)
    await Promise.race([done, beat])
    if (!ended.signal.aborted) await heartbeat()
  }
  await done
}
