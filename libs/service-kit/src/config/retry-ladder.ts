import { parseDuration } from '../time.ts'
import { configurationError, type NamedDelay } from './config.ts'

const defaultLadder = ['1s', '5s', '30s', '5m', '30m', '2h', '8h']

type Read = {
  WEBHOOK_RETRY_DELAYS: readonly NamedDelay[]
  WEBHOOK_RETRY_LADDER?: readonly NamedDelay[] | undefined
}

/**
 * The delays that have a topic, ascending, each once: subscriptions choose among them. Without a ladder of its
 * own, an installation keeps working whose schedule has other delays than the default ladder.
 */
export function retryLadderOf(read: Read): NamedDelay[] {
  const own = read.WEBHOOK_RETRY_LADDER
  const delays = own ?? defaultLadder.map((name) => ({ name, ms: parseDuration(name) }))
  const names = new Set(delays.map(({ name }) => name))
  const missing = read.WEBHOOK_RETRY_DELAYS.filter(({ name }) => !names.has(name))
  if (own !== undefined && missing.length > 0) {
    const list = missing.map(({ name }) => name).join(', ')
    throw configurationError([`WEBHOOK_RETRY_LADDER: must have ${list} of WEBHOOK_RETRY_DELAYS`])
  }
  const byName = new Map([...delays, ...missing].map((delay) => [delay.name, delay]))
  return [...byName.values()].toSorted((a, b) => a.ms - b.ms)
}

/** The retry topics are named after them. */
export const retryTopicNames = (read: Read): string[] => retryLadderOf(read).map(({ name }) => name)
