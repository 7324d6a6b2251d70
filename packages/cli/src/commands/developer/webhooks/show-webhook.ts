import type { Subscription } from '@surehook/client'
import type { Output } from '../../../output/shown.ts'
import { textFields } from '../../../output/text-table.ts'
import { timeCell } from '../../../output/times.ts'
import { visible } from '../../../output/visible.ts'
import type { ShownSecret } from './secret.ts'

export const webhookCells = (webhook: Subscription, now: number) => ({
  webhook: webhook.id,
  name: webhook.name ?? '-',
  key: webhook.key ?? '-',
  table: webhook.table,
  events: webhook.events.join(','),
  state: webhook.active ? 'active' : 'inactive',
  url: webhook.url,
  created: timeCell(webhook.createdAt, now),
})

/** Shows a webhook, and a secret that the command has made for it. */
export function showWebhook(
  webhook: Subscription,
  now: number,
  secret: ShownSecret = { lines: [], fields: {} },
): Output {
  return {
    value: { ...webhook, ...secret.fields },
    lines: [...webhookLines(webhook, now), ...secret.lines],
  }
}

export function webhookLines(webhook: Subscription, now: number): string[] {
  const { warnings = [], filter, createdAt, ...fields } = webhook
  const times = ['disabledAt', 'previousSecretExpiresAt'] as const
  return [
    ...textFields({
      ...fields,
      ...(filter !== undefined && { filter: JSON.stringify(filter) }),
      createdAt: timeCell(createdAt, now),
      ...Object.fromEntries(
        times.flatMap((name) =>
          webhook[name] === undefined ? [] : [[name, timeCell(webhook[name], now)]],
        ),
      ),
    }),
    ...warnings.map(({ field, message }) => visible(`warning: ${field}: ${message}`)),
  ]
}
