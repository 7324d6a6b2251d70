/** Reads again only what is older than `ms`, however many ask. A failure is not kept. */
export function freshFor<T>(
  ms: number,
  read: () => Promise<T>,
  now: () => number = Date.now,
): () => Promise<T> {
  let kept: { value: Promise<T>; until: number } | null = null
  return () => {
    if (kept !== null && now() < kept.until) return kept.value
    // Whoever asks during the reading waits for it.
    const reading = { value: read(), until: Number.POSITIVE_INFINITY }
    kept = reading
    reading.value.then(
      () => {
        reading.until = now() + ms
      },
      () => {
        reading.until = 0
      },
    )
    return reading.value
  }
}
