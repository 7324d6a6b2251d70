const beatEveryMs = 1_000

/** Waits for `work` in a batch's handler, and remains a member of the group meanwhile. */
export async function whileBeating(
  work: Promise<void>,
  heartbeat: () => Promise<void>,
): Promise<void> {
  // Left behind when a heartbeat says that the group is joined anew.
  work.catch(() => undefined)
  for (;;) {
    const beat = Promise.withResolvers<'beat'>()
    const timer = setTimeout(() => beat.resolve('beat'), beatEveryMs)
    const first = await Promise.race([work, beat.promise]).finally(() => clearTimeout(timer))
    if (first !== 'beat') return
    await heartbeat()
  }
}
