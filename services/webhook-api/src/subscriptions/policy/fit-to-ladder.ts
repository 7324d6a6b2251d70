import { extendedDelays, type PolicyInput } from '@surehook/contracts/http/webhooks/policy/policy'
import { invalid } from '@surehook/service-kit/errors'
import { parseDuration } from '@surehook/service-kit/time'

/** The delays that have a topic. */
export type RetryLadder = readonly { name: string; ms: number }[]

/** A policy whose delays are names of the ladder. */
export type FittedPolicy = Omit<PolicyInput, 'retryDelays'> & {
  retryDelays?: string[] | null | undefined
}

/**
 * Replaces each delay by its name on the ladder: `60s` may be `1m`. Throws VALIDATION_ERROR for a
 * delay that the installation does not have.
 */
export function fitToLadder(
  ladder: RetryLadder,
  policy: PolicyInput | null | undefined,
): FittedPolicy | null | undefined {
  if (!policy) return policy
  const { retryDelays, ...rest } = policy
  if (!retryDelays) return { ...rest, retryDelays }
  const isPreset = retryDelays === 'extended'
  const delays = isPreset ? extendedDelays : retryDelays
  const named = delays.map((delay) => ladder.find(({ ms }) => ms === parseDuration(delay))?.name)
  const names = ladder.map(({ name }) => name).join(', ')
  const violations = named.flatMap((name, nth) => {
    if (name !== undefined) return []
    const message = `must be one of the installation's delays: ${names}`
    const field = `policy.retryDelays${isPreset ? '' : `.${nth}`}`
    return [{ field, message, rule: 'not_on_ladder' as const }]
  })
  if (violations.length > 0) throw invalid(isPreset ? violations.slice(0, 1) : violations)
  return { ...rest, retryDelays: named.filter((name) => name !== undefined) }
}
