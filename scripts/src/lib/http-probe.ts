/** Returns whether a GET succeeds; false if nothing listens. */
export async function answersOk(url: string): Promise<boolean> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(2_000) })
    await response.body?.cancel()
    return response.ok
  } catch {
    // Not listening yet: the caller repeats the probe until its time limit.
    return false
  }
}
