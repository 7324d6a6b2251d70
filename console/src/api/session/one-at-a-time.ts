/** Returns a function that begins the work, unless it is under way. */
export function oneAtATime(work: () => Promise<void>): () => void {
  let isRunning = false
  return () => {
    if (isRunning) return
    isRunning = true
    void work().finally(() => {
      isRunning = false
    })
  }
}
