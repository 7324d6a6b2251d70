/** Limits on the use of the issuer's answers, in milliseconds. */
export type FreshnessPolicy = {
  /** Age from which the answer is renewed in the background. */
  refreshAfterMs: number
  /** Age of the last request to the issuer from which a caller waits for a new one. */
  maxAgeMs: number
  /** Age from which an answer is never used, even if the issuer is unreachable. */
  maxStaleMs: number
  /** Time between two requests to the issuer. */
  cooldownMs: number
}

/** Times of the last answer and of the last request, failed or not, by a monotonic clock. */
export type AskTimes = { answeredAt: number; triedAt: number }

/**
 * `good`: use the answer. `renew`: use it and ask in the background. `wait`: ask, and use it only
 * if the issuer does not answer. `over`: only a new answer may be used. A failed request counts as
 * a request, so that a silent issuer does not slow tokens with a known answer.
 */
export function standing(
  { answeredAt, triedAt }: AskTimes,
  policy: FreshnessPolicy,
  now: number,
): 'good' | 'renew' | 'wait' | 'over' {
  const age = now - answeredAt
  if (age >= policy.maxStaleMs) return 'over'
  if (now - triedAt >= policy.maxAgeMs) return 'wait'
  const isDue = age >= policy.refreshAfterMs && now - triedAt >= policy.cooldownMs
  return isDue ? 'renew' : 'good'
}
