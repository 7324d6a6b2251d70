import type { Endpoint, WebhookNumbers } from '@surehook/client'
import { milliseconds, percent } from '../../parts/data/numbers.ts'

type AttemptNumbers = Pick<WebhookNumbers, 'attempts' | 'counts' | 'latencyMs'>
type NumbersById = ReadonlyMap<string, AttemptNumbers>

/**
 * The success and the p95 of the attempts to a URL. The p95 of several webhooks together is at most
 * the highest of them. Nothing while the numbers of a webhook are not read.
 */
export function endpointNumbers(
  { webhooks }: Pick<Endpoint, 'webhooks'>,
  numbers: NumbersById,
): { success: string; p95: string } | null {
  const own = webhooks.flatMap((id) => numbers.get(id) ?? [])
  if (own.length < webhooks.length) return null
  const sum = (pick: (one: AttemptNumbers) => number) =>
    own.reduce((total, one) => total + pick(one), 0)
  const attempts = sum((one) => one.attempts)
  const latencies = own.flatMap(({ latencyMs }) => latencyMs.p95 ?? [])
  const highest = latencies.length === 0 ? null : Math.max(...latencies)
  return {
    success: percent(attempts === 0 ? null : sum(({ counts }) => counts.delivered) / attempts),
    p95: `${latencies.length > 1 ? '≤ ' : ''}${milliseconds(highest)}`,
  }
}
