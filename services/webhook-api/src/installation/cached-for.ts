/** Caches what `read` returns for `ms`. A failure is not cached. */
export function cachedFor<T>(
  ms: number,
  read: () => Promise<T>,
  now: () => number = Date.now,
): () => Promise<T> {
  let kept: { value: Promise<T>; until: number } | null = null
  return () => {
    if (kept !== null && now() < kept.until) return kept.value
    // Calls during the reading share it.
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
