export type BackgroundWork = AsyncDisposable & {
  /** Starts the next piece of work at once instead of at the next poll. */
  wake: () => void
}

export type BackgroundWorkOptions = {
  /**
   * Does the next piece of work. Resolves to the milliseconds until the next call, 0 for at once.
   */
  work: (signal: AbortSignal) => Promise<number>
  onFailure: (err: unknown) => void
  /** The milliseconds until the next call after a failure. */
  retryMs: number
}

/**
 * Runs pieces of work one after another until it is disposed. Disposing waits for the present
 * piece.
 */
export function runBackgroundWork(options: BackgroundWorkOptions): BackgroundWork {
  const { work, onFailure, retryMs } = options
  const stop = new AbortController()
  let woken = Promise.withResolvers<void>()

  const workForEver = async () => {
    while (!stop.signal.aborted) {
      const waitMs = await work(stop.signal).catch((err: unknown) => {
        if (!stop.signal.aborted) onFailure(err)
        return retryMs
      })
      if (waitMs === 0) continue
      const timer = setTimeout(woken.resolve, waitMs)
      await woken.promise
      clearTimeout(timer)
      woken = Promise.withResolvers<void>()
    }
  }
  const working = workForEver()
  return {
    wake: () => woken.resolve(),
    async [Symbol.asyncDispose]() {
      stop.abort(new DOMException('The work was stopped', 'AbortError'))
      woken.resolve()
      await working
    },
  }
}
