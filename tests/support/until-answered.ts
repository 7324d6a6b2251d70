import { setTimeout as wait } from 'node:timers/promises'

const withinMs = 30_000

/** Asks again while what is asked comes and goes: an answer is what the test is not about. */
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
