/** Whether a GET is answered with success; false also while nobody listens yet. */
export async function answersOk(url: string): Promise<boolean> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(2_000) })
    await response.body?.cancel()
    return response.ok
  } catch {
    // Not listening yet: the caller asks again until its time is over.
    return false
  }
}
