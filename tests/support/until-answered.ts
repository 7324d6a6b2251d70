import { setTimeout as wait } from 'node:timers/promises'

const withinMs = 90_000

/** Repeats a request while its server comes and goes, for tests that need only the answer. */
export async function untilAnswered<T>(ask: () => Promise<T>): Promise<T> {
  const deadline = performance.now() + withinMs
  for (;;) {
    try {
      return await ask()
    } catch (err) {
      if (performance.now() > deadline) throw err
      await wait(200)
    }
  }
}
