/** Answers of a service or proxy that is away for a moment. */
const transientStatus = new Set([408, 502, 503, 504])

const noAnswer = new Set<unknown>(['CONNECTION_FAILED', 'TIMEOUT'])

/** What the errors of this package and of `@surehook/auth` have in common. */
export type Failure = {
  code?: unknown
  status?: number | undefined
  retryAfter?: number | undefined
}

const firstDelayMs = 500
const maxDelayMs = 8_000
/** The caller decides about longer waits: the error names them. */
const maxRetryAfterS = 30

/**
 * Whether to send the same request again. If it must not happen twice, only a 429 is repeated,
 * which says that nothing happened.
 */
export function isTransient(error: Failure, isRepeatable: boolean): boolean {
  if (error.status === 429) return true
  const isAway = noAnswer.has(error.code) || transientStatus.has(error.status ?? 0)
  return isAway && isRepeatable
}

/**
 * Whether work without an end goes on after this failure, which may be one of a token function. It
 * ends only if another attempt would fail in the same way.
 */
export function mayRepeat(err: unknown): err is Failure {
  if (!(err instanceof Error)) return false
  const failure = err as Failure
  return failure.status === 500 || isTransient(failure, true)
}

/** The milliseconds before work without an end goes on. */
export const delayOfRepeat = (failures: number, { retryAfter = 0 }: Failure): number =>
  Math.max(backoff(failures), retryAfter * 1_000)

/** The milliseconds before the attempt after `failures` failures; undefined: too long to wait. */
export function delayBefore(
  failures: number,
  retryAfter: number | undefined,
  random: () => number = Math.random,
): number | undefined {
  if (retryAfter !== undefined && retryAfter > maxRetryAfterS) return undefined
  return Math.max(backoff(failures, random), (retryAfter ?? 0) * 1_000)
}

/** Doubles from 0.5 s to 8 s. Jitter takes away up to half, so that clients do not call in step. */
export function backoff(failures: number, random: () => number = Math.random): number {
  const full = Math.min(maxDelayMs, firstDelayMs * 2 ** Math.max(0, failures - 1))
  return full * (0.5 + random() / 2)
}
