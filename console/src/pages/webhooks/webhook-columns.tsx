import type { Endpoint, Subscription, WebhookNumbers } from '@surehook/client'
import { endpointOf } from '../../api/queries.ts'
import { milliseconds, percent } from '../../parts/data/numbers.ts'
import type { Column } from '../../parts/data/tables/data-table.tsx'
import { TrafficCell } from './stats-cells.tsx'
import { WebhookState } from './webhook-state.tsx'

/** By the id of the webhook. It has no webhook whose numbers are not read yet. */
export type NumbersById = ReadonlyMap<string, WebhookNumbers>

export const byWebhook = (all: readonly WebhookNumbers[] = []): NumbersById =>
  new Map(all.map((one) => [one.webhookId, one]))

export const stateColumn = (
  endpoints: readonly Endpoint[] | undefined,
  numbers: NumbersById,
): Column<Subscription> => ({
  id: 'state',
  header: 'State',
  cell: (webhook) => (
    <WebhookState
      webhook={webhook}
      endpoint={endpointOf(webhook, endpoints)}
      numbers={numbers.get(webhook.id)}
    />
  ),
})

export const trafficColumn = (numbers: NumbersById): Column<Subscription> => ({
  id: 'traffic',
  header: 'Last 24 hours',
  cell: ({ id }) => <TrafficCell numbers={numbers.get(id)} />,
})

export const successColumn = (numbers: NumbersById): Column<Subscription> => ({
  id: 'success',
  header: 'Success',
  cell: ({ id }) => {
    const own = numbers.get(id)
    return own === undefined ? null : percent(own.successRate)
  },
  align: 'end',
})

export const latencyColumn = (numbers: NumbersById): Column<Subscription> => ({
  id: 'latency',
  header: 'p95',
  cell: ({ id }) => {
    const own = numbers.get(id)
    return own === undefined ? null : milliseconds(own.latencyMs.p95)
  },
  align: 'end',
})
