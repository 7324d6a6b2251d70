import type { Subscription } from '@surehook/client'
import { useMemo } from 'react'
import { Link } from 'react-router'
import { endpointOf, useEndpoints } from '../../api/queries.ts'
import { type Column, DataTable } from '../../parts/data/data-table.tsx'
import { Card } from '../../parts/layout/page.tsx'
import { SparklineCell, SuccessCell } from '../webhooks/stats-cells.tsx'
import { WebhookState } from '../webhooks/webhook-state.tsx'

const shown = 10

/** The webhooks, with those that fail first. */
export function HealthTable({ webhooks }: { webhooks: readonly Subscription[] }) {
  const endpoints = useEndpoints().data?.endpoints
  const rows = useMemo(() => {
    const isIll = (webhook: Subscription) =>
      !webhook.active || endpointOf(webhook, endpoints)?.circuit === 'open'
    return webhooks.toSorted((a, b) => Number(isIll(b)) - Number(isIll(a))).slice(0, shown)
  }, [webhooks, endpoints])
  const columns = useMemo<readonly Column<Subscription>[]>(
    () => [
      {
        id: 'state',
        header: 'State',
        cell: (webhook) => (
          <WebhookState webhook={webhook} endpoint={endpointOf(webhook, endpoints)} />
        ),
      },
      {
        id: 'url',
        header: 'Webhook',
        cell: (webhook) => (
          <Link to={`/webhooks/${webhook.id}`} className="cell-main">
            <span className="cell-url">{webhook.url}</span>
          </Link>
        ),
      },
      {
        id: 'traffic',
        header: 'Last 24 hours',
        cell: ({ id }) => <SparklineCell id={id} />,
        isOptional: true,
      },
      { id: 'success', header: 'Success', cell: ({ id }) => <SuccessCell id={id} />, align: 'end' },
    ],
    [endpoints],
  )
  return (
    <Card title="Webhooks" isFlush actions={<Link to="/webhooks">All webhooks</Link>}>
      <DataTable label="Webhooks by health" columns={columns} rows={rows} idOf={idOf} />
    </Card>
  )
}

const idOf = ({ id }: Subscription) => id
