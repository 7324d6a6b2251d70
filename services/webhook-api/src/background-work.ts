export type BackgroundWork = AsyncDisposable & {
  /** There is something to do: nobody need wait for the next look. */
  wake: () => void
}

export type BackgroundWorkOptions = {
  /** Does what is next; resolves to the time after which to look again, 0 for at once. */
  work: (signal: AbortSignal) => Promise<number>
  onFailure: (err: unknown) => void
  /** When to look again after a failure. */
  retryMs: number
}

/** Works for as long as it is open, one piece after the other; disposing waits for the one at hand. */
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
