import type { DeliveryQuery } from '@surehook/client'
import { deliveryStatuses, errorClasses } from '@surehook/contracts/events'
import type { OptionSpecs, Values } from '../../cli/command.ts'
import { countOf, given, instantOf } from '../../lib/input/option-values.ts'
import { foundCells, showDelivery } from '../../output/deliveries.ts'
import { showDone, showRows } from '../../output/shown.ts'
import { limitOption, take } from '../../tenant/take.ts'
import { tenantCommand } from '../../tenant/tenant-command.ts'
import { cancelDeliveries, cancelOptions } from './webhooks/cancel.ts'

const filters = {
  status: { type: 'string', value: 'status', choices: deliveryStatuses, help: 'only this state' },
  webhook: { type: 'string', value: 'id', help: 'only this webhook' },
  table: { type: 'string', value: 'name', help: 'only changes of this table' },
  event: { type: 'string', value: 'id', help: 'only this change' },
  record: { type: 'string', value: 'id', help: 'only changes of this record' },
  'http-status': { type: 'string', value: 'code', help: 'only if this was the last answer' },
  error: {
    type: 'string',
    value: 'class',
    choices: errorClasses,
    help: 'only if the last attempt failed in this way',
  },
  since: { type: 'string', value: 'when', help: 'only those made since 1h ago, or a time' },
  until: { type: 'string', value: 'when', help: 'only those made before 1h ago, or a time' },
} as const satisfies OptionSpecs

const place = ['webhook', 'delivery'] as const

export const deliveryCommands = [
  tenantCommand({
    name: 'deliveries search',
    summary: 'Find deliveries, newest first',
    examples: [
      'deliveries search --status dead_letter --since 1d',
      'deliveries search --table orders --record 42 --json',
    ],
    options: { ...filters, ...limitOption },
    async act({ surehook, request, values, note, now }) {
      const query = queryOf(values, now())
      const pages = (page: { limit: number }) =>
        surehook.deliveries.iterate({ ...query, ...page }, request)
      const found = await take(values, pages, { note })
      return showRows('deliveries', found, (delivery) => foundCells(delivery, now()))
    },
  }),
  tenantCommand({
    name: 'deliveries show',
    summary: 'Show a delivery with its attempts and its body',
    options: {},
    positionals: place,
    async act({ surehook, request, words: { webhook, delivery }, now }) {
      return showDelivery(await surehook.deliveries.get(webhook, delivery, request), now())
    },
  }),
  tenantCommand({
    name: 'deliveries redeliver',
    summary: 'Send a delivery again, as a new delivery',
    options: {},
    positionals: place,
    async act({ surehook, request, words: { webhook, delivery } }) {
      const made = await surehook.deliveries.redeliver(webhook, delivery, request)
      const see = `surehook deliveries show ${webhook} ${made.deliveryId}`
      return showDone(`sent again as delivery ${made.deliveryId}\nfor its outcome: ${see}`, made)
    },
  }),
  tenantCommand({
    name: 'deliveries cancel',
    summary: 'Cancel the retrying or the paused deliveries of a webhook',
    examples: ['deliveries cancel <webhook> --status retrying --until 1h'],
    options: cancelOptions,
    positionals: ['webhook'],
    act: cancelDeliveries,
  }),
]

function queryOf(values: Values<typeof filters>, now: number): DeliveryQuery {
  const { status, webhook, table, event, record, error, since, until } = values
  const { 'http-status': httpStatus } = values
  return given({
    status: status as DeliveryQuery['status'],
    webhookId: webhook,
    table,
    eventId: event,
    recordId: record,
    httpStatus: httpStatus === undefined ? undefined : countOf('http-status', httpStatus),
    errorClass: error as DeliveryQuery['errorClass'],
    since: since === undefined ? undefined : instantOf('since', since, now).toISOString(),
    until: until === undefined ? undefined : instantOf('until', until, now).toISOString(),
  })
}
