/** How long what the issuer said may be used. */
export type FreshnessPolicy = {
  /** From this age on it is asked for again, beside the requests that use it. */
  refreshAfterMs: number
  /** The issuer has been asked within this time, or a request waits for its answer. */
  maxAgeMs: number
  /** Nothing older is used, whatever keeps the issuer from answering. */
  maxStaleMs: number
  /** Between two questions. */
  cooldownMs: number
}

/** When the issuer last answered, and when it was last asked in vain or not; by a clock that does not jump. */
export type Asked = { answeredAt: number; triedAt: number }

/**
 * `good`: use it. `renew`: use it, and ask beside that. `wait`: ask, and use it only if nobody answers.
 * `over`: only a new answer counts. A try in vain counts as asking, so that a silent issuer slows nobody whose
 * answer is known.
 */
export function standing(
  { answeredAt, triedAt }: Asked,
  policy: FreshnessPolicy,
  now: number,
): 'good' | 'renew' | 'wait' | 'over' {
  const age = now - answeredAt
  if (age >= policy.maxStaleMs) return 'over'
  if (now - triedAt >= policy.maxAgeMs) return 'wait'
  const isDue = age >= policy.refreshAfterMs && now - triedAt >= policy.cooldownMs
  return isDue ? 'renew' : 'good'
}
