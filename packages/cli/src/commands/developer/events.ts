import { instantOf } from '../../lib/input/option-values.ts'
import { tableOf } from '../../output/shown.ts'
import { cellOf } from '../../output/text-table.ts'
import { timeCell } from '../../output/times.ts'
import { tenantCommand } from '../../tenant/tenant-command.ts'

export const eventCommands = [
  tenantCommand({
    name: 'events explain',
    summary: 'Show a change, and why each webhook got it or not',
    examples: ['events explain 0199c3d2-…'],
    options: {
      timestamp: {
        type: 'string',
        value: 'when',
        help: 'about when the change was made. Needed only if its id is no UUIDv7',
      },
    },
    positionals: ['event'],
    async act({ surehook, request, words, values: { timestamp }, now }) {
      const query =
        timestamp === undefined
          ? {}
          : { timestamp: instantOf('timestamp', timestamp, now()).toISOString() }
      const event = await surehook.events.explain(words.event, query, request)
      const rows = event.webhooks.map(({ webhookId, webhookName, outcome, reason, field }) => ({
        'webhook name': cellOf(webhookName),
        webhook: webhookId,
        outcome,
        reason: field === undefined ? reason : `${reason} (${field})`,
      }))
      const lines = [
        `${cellOf(event.event)} of ${cellOf(event.table)}/${cellOf(event.recordId)}, ${timeCell(event.timestamp, now())}`,
        ...(event.record === null ? [] : ['', JSON.stringify(event.record, null, 2)]),
        ...(event.changedFields === null ? [] : [`changed: ${cellOf(event.changedFields)}`]),
        '',
        rows.length === 0 ? 'no webhook watches the table' : tableOf(rows),
        ...(event.webhooksLeftOut > 0 ? [`… and ${event.webhooksLeftOut} more webhooks`] : []),
      ]
      return { value: event, lines }
    },
  }),
]
