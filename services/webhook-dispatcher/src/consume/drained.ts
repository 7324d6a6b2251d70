import { setTimeout as wait } from 'node:timers/promises'

/** Resolves when nothing is in flight, or after `withinMs`. The next owner repeats what is left. */
export async function drained(
  inFlight: () => number,
  { withinMs }: { withinMs: number },
): Promise<void> {
  const deadline = performance.now() + withinMs
  while (inFlight() > 0 && performance.now() < deadline) await wait(10)
}
