import type { Subscription, WebhookNumbers } from '@surehook/client'

export type DeadLetters = { webhook: Subscription; count: number }

type CountsById = ReadonlyMap<string, Pick<WebhookNumbers, 'counts'>>

/** The webhooks that have dead letters, the one with the most first. */
export const deadLettersOf = (
  webhooks: readonly Subscription[],
  numbers: CountsById,
): DeadLetters[] =>
  webhooks
    .map((webhook) => ({ webhook, count: numbers.get(webhook.id)?.counts.deadLetter ?? 0 }))
    .filter(({ count }) => count > 0)
    .toSorted((a, b) => b.count - a.count)
