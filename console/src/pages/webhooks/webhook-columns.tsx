import type { Endpoint, Subscription } from '@surehook/client'
import { endpointOf } from '../../api/queries.ts'
import type { Column } from '../../parts/data/data-table.tsx'
import { SparklineCell, SuccessCell } from './stats-cells.tsx'
import { WebhookState } from './webhook-state.tsx'

export const stateColumn = (endpoints: readonly Endpoint[] | undefined): Column<Subscription> => ({
  id: 'state',
  header: 'State',
  cell: (webhook) => <WebhookState webhook={webhook} endpoint={endpointOf(webhook, endpoints)} />,
})

export const trafficColumn: Column<Subscription> = {
  id: 'traffic',
  header: 'Last 24 hours',
  cell: ({ id }) => <SparklineCell id={id} />,
  isOptional: true,
}

export const successColumn: Column<Subscription> = {
  id: 'success',
  header: 'Success',
  cell: ({ id }) => <SuccessCell id={id} />,
  align: 'end',
}
