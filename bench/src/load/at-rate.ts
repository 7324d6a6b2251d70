/**
 * Starts `one` at a fixed rate, independently of earlier calls, and waits for all of them.
 * @returns how many were started
 */
export async function atRate(
  { perSecond, seconds }: { perSecond: number; seconds: number },
  one: () => Promise<void>,
): Promise<number> {
  const startedAt = performance.now()
  const pending: Promise<void>[] = []
  for (let n = 0; n < perSecond * seconds; n++) {
    const dueMs = (n * 1000) / perSecond - (performance.now() - startedAt)
    if (dueMs > 0) await new Promise((resolve) => setTimeout(resolve, dueMs))
    pending.push(one())
  }
  await Promise.all(pending)
  return pending.length
}
