import type { NamedDuration } from '@surehook/service-kit/config/config'
import { configurationError } from '@surehook/service-kit/config/faults'
import { parseDuration } from '@surehook/service-kit/time'

const defaultLadder = ['1s', '5s', '30s', '5m', '30m', '2h', '8h']

type RetryVariables = {
  WEBHOOK_RETRY_DELAYS: readonly NamedDuration[]
  WEBHOOK_RETRY_LADDER?: readonly NamedDuration[] | undefined
}

/**
 * The delays that have a retry topic, ascending, each once. Subscriptions choose among them. If
 * `WEBHOOK_RETRY_LADDER` is not set, the ladder is the default plus the delays of
 * `WEBHOOK_RETRY_DELAYS`.
 */
export function retryLadderOf(variables: RetryVariables): NamedDuration[] {
  const own = variables.WEBHOOK_RETRY_LADDER
  const delays = own ?? defaultLadder.map((name) => ({ name, ms: parseDuration(name) }))
  const names = new Set(delays.map(({ name }) => name))
  const missing = variables.WEBHOOK_RETRY_DELAYS.filter(({ name }) => !names.has(name))
  if (own !== undefined && missing.length > 0) {
    const list = missing.map(({ name }) => name).join(', ')
    throw configurationError([`WEBHOOK_RETRY_LADDER: must have ${list} of WEBHOOK_RETRY_DELAYS`])
  }
  const byName = new Map([...delays, ...missing].map((delay) => [delay.name, delay]))
  return [...byName.values()].toSorted((a, b) => a.ms - b.ms)
}

/** Names of the delays, which the names of the retry topics contain. */
export const retryTopicNames = (variables: RetryVariables): string[] =>
  retryLadderOf(variables).map(({ name }) => name)
