const beatEveryMs = 1_000

/** Waits for `work` of a batch's handler, and sends heartbeats meanwhile. */
export async function whileBeating(
  work: Promise<void>,
  heartbeat: () => Promise<void>,
): Promise<void> {
  // The work is abandoned when a heartbeat reports a rebalance.
  work.catch(() => undefined)
  for (;;) {
    const beat = Promise.withResolvers<'beat'>()
    const timer = setTimeout(() => beat.resolve('beat'), beatEveryMs)
    const first = await Promise.race([work, beat.promise]).finally(() => clearTimeout(timer))
    if (first !== 'beat') return
    await heartbeat()
  }
}
