import { unavailable } from './errors.ts'

/**
 * Resolves with `work`, or rejects with SERVICE_UNAVAILABLE and `message` after `ms` milliseconds.
 * It does not cancel `work`.
 */
export async function boundedBy<T>(ms: number, work: Promise<T>, message: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(unavailable(message)), ms)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}

/**
 * Resolves with `work`, or rejects with the reason of `signal` once it aborts. It does not cancel
 * `work`.
 */
export async function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted()
  const aborted = Promise.withResolvers<never>()
  const onAbort = () => aborted.reject(signal.reason)
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    // One promise per call: a race against a shared promise would keep all losers in memory.
    return await Promise.race([work, aborted.promise])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}
