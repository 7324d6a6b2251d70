import type { WebhookStats } from '@surehook/client'
import { statsWindows } from '@surehook/contracts/http/webhooks/questions'
import { given } from '../../../lib/input/option-values.ts'
import { deliveryCells } from '../../../output/deliveries.ts'
import { type Output, showDone, showRows, tableOf } from '../../../output/shown.ts'
import { cellOf } from '../../../output/text-table.ts'
import { timeCell } from '../../../output/times.ts'
import { limitOption, take } from '../../../tenant/take.ts'
import { tenantCommand } from '../../../tenant/tenant-command.ts'
import { cancelDeliveries, cancelOptions } from './cancel.ts'
import { webhookCells, webhookLines } from './show-webhook.ts'

export const webhookReadCommands = [
  tenantCommand({
    name: 'webhooks list',
    summary: 'List the webhooks, newest first',
    options: {
      table: { type: 'string', value: 'name', help: 'only webhooks of this table' },
      active: {
        type: 'string',
        value: 'state',
        choices: ['true', 'false'],
        help: 'only active, or only inactive ones',
      },
      ...limitOption,
    },
    async act({ surehook, request, values, note, now }) {
      const { table, active } = values
      const query = given({ table, active: active === undefined ? undefined : active === 'true' })
      const pages = (page: { limit: number }) =>
        surehook.webhooks.iterate({ ...query, ...page }, request)
      const found = await take(values, pages, { note })
      return showRows('webhooks', found, (webhook) => webhookCells(webhook, now()))
    },
  }),
  tenantCommand({
    name: 'webhooks show',
    summary: 'Show a webhook and its latest deliveries',
    options: {},
    positionals: ['webhook'],
    async act({ surehook, request, words, now }) {
      const found = await surehook.webhooks.get(words.webhook, request)
      const deliveries = found.deliveries.map((delivery) => deliveryCells(delivery, now()))
      const lines = [
        ...webhookLines(found.webhook, now()),
        '',
        deliveries.length === 0 ? 'no deliveries' : tableOf(deliveries),
      ]
      return { value: found, lines }
    },
  }),
  tenantCommand({
    name: 'webhooks stats',
    summary: 'Count what became of the attempts of a webhook',
    options: {
      window: {
        type: 'string',
        value: 'duration',
        default: '24h',
        choices: statsWindows,
        help: 'the time up to now',
      },
    },
    positionals: ['webhook'],
    async act({ surehook, request, words, values, now }) {
      const window = values.window as WebhookStats['window']
      return showStats(await surehook.webhooks.stats(words.webhook, { window }, request), now())
    },
  }),
  tenantCommand({
    name: 'webhooks test',
    summary: 'Send a test event',
    options: {},
    positionals: ['webhook'],
    async act({ surehook, request, words: { webhook } }) {
      const sent = await surehook.webhooks.test(webhook, request)
      return showDone(`sent as event ${sent.eventId}, delivery ${sent.deliveryId}`, sent)
    },
  }),
  tenantCommand({
    name: 'webhooks cancel',
    summary: 'Cancel the retrying or the paused deliveries of a webhook',
    details: 'The same as "surehook deliveries cancel".',
    examples: ['webhooks cancel <webhook> --status paused'],
    options: cancelOptions,
    positionals: ['webhook'],
    act: cancelDeliveries,
  }),
  tenantCommand({
    name: 'webhooks delete',
    summary: 'Delete a webhook, and cancel its open deliveries',
    options: {},
    positionals: ['webhook'],
    async act({ surehook, request, words: { webhook } }) {
      await surehook.webhooks.delete(webhook, request)
      return showDone(`webhook ${webhook} is deleted`, { deleted: webhook })
    },
  }),
]

function showStats(stats: WebhookStats, now: number): Output {
  const { window, from, attempts, successRate, latencyMs, counts, series } = stats
  const rate = successRate === null ? '-' : `${(successRate * 100).toFixed(1)} %`
  const buckets = series
    .filter(({ at: _, ...bucket }) => Object.values(bucket).some((count) => count > 0))
    .map((bucket) => ({ at: timeCell(bucket.at, now), ...countCells(bucket) }))
  const lines = [
    `${attempts} attempts in ${window}, since ${timeCell(from, now)}: ${rate} succeeded`,
    `latency: p50 ${cellOf(latencyMs.p50)} ms, p95 ${cellOf(latencyMs.p95)} ms`,
    '',
    tableOf([{ at: 'all', ...countCells(counts) }, ...buckets]),
  ]
  return { value: stats, lines }
}

const countCells = ({ delivered, retrying, deadLetter, cancelled }: WebhookStats['counts']) => ({
  delivered: String(delivered),
  retrying: String(retrying),
  'dead letters': String(deadLetter),
  cancelled: String(cancelled),
})
