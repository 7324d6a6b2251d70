import { setTimeout as delay } from 'node:timers/promises'

export type WaitOptions = { what: string | (() => string); timeoutMs: number; everyMs?: number }

/** Polls until the condition is true. Throws an error with `what` on timeout. */
export async function waitUntil(
  isTrue: () => boolean | Promise<boolean>,
  { what, timeoutMs, everyMs = 50 }: WaitOptions,
): Promise<void> {
  const deadline = performance.now() + timeoutMs
  while (!(await isTrue())) {
    if (performance.now() > deadline) {
      const name = typeof what === 'string' ? what : what()
      throw new Error(`${name}: not there after ${timeoutMs} ms`)
    }
    await delay(everyMs)
  }
}
