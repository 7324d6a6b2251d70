import { setTimeout as sleep } from 'node:timers/promises'

/** Waits for a condition that no event announces; throws naming it when `withinMs` are over. */
export async function until(
  condition: () => boolean | Promise<boolean>,
  withinMs = 15_000,
): Promise<void> {
  const deadline = Date.now() + withinMs
  while (!(await condition())) {
    if (Date.now() > deadline)
      throw new Error(`Not so within ${withinMs} ms: ${condition.toString()}`)
    await sleep(20)
  }
}
