import { setTimeout as sleep } from 'node:timers/promises'

/** Waits for a condition that nothing announces. */
export async function until(
  condition: () => boolean | Promise<boolean>,
  withinMs = 30_000,
): Promise<void> {
  const deadline = Date.now() + withinMs
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`Not so within ${withinMs} ms: ${condition}`)
    await sleep(20)
  }
}
