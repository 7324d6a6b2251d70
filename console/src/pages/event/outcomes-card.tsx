import type { EventDetail } from '@surehook/client'
import { useMemo } from 'react'
import { Link } from 'react-router'
import { useWebhooks } from '../../api/queries.ts'
import { StatusBadge } from '../../parts/data/status-badge.tsx'
import { type Column, DataTable } from '../../parts/data/tables/data-table.tsx'
import { labelOf } from '../../parts/data/webhook-label.ts'
import { deliveryPath } from '../../parts/deliveries/delivery-path.ts'
import { EmptyState } from '../../parts/feedback/empty-state.tsx'
import { ButtonLink } from '../../parts/forms/button.tsx'
import { Card } from '../../parts/layout/page.tsx'

type Outcome = EventDetail['webhooks'][number]

/** Each webhook of the table: delivered, or why not. */
export function OutcomesCard({ detail }: { detail: EventDetail }) {
  const webhooks = useWebhooks().data?.webhooks
  const columns = useMemo<readonly Column<Outcome>[]>(
    () => [
      { id: 'outcome', header: 'Outcome', cell: ({ outcome }) => <StatusBadge status={outcome} /> },
      {
        id: 'webhook',
        header: 'Webhook',
        isTitle: true,
        cell: ({ webhookId }) => (
          <Link to={`/webhooks/${webhookId}`} className="cell-main">
            <span className="cell-url">{labelOf(webhookId, webhooks)}</span>
          </Link>
        ),
      },
      { id: 'reason', header: 'Why', cell: ({ reason }) => reason },
      { id: 'delivery', header: 'Delivery', cell: (outcome) => <DeliveryLink outcome={outcome} /> },
    ],
    [webhooks],
  )
  const { webhooks: outcomes, webhooksLeftOut } = detail
  return (
    <Card title="Webhooks of this table" isFlush>
      {outcomes.length === 0 ? (
        <EmptyState
          icon="webhook"
          title="No webhook watches this table"
          action={<ButtonLink to={formPath(detail.table)}>New webhook</ButtonLink>}
        />
      ) : (
        <DataTable label="Outcomes" columns={columns} rows={outcomes} idOf={idOf} />
      )}
      {webhooksLeftOut > 0 && <p className="table-note">{webhooksLeftOut} more are not shown.</p>}
    </Card>
  )
}

const formPath = (table: string | null) =>
  table === null ? '/webhooks/new' : `/webhooks/new?table=${table}`

const idOf = ({ webhookId }: Outcome) => webhookId

function DeliveryLink({ outcome: { webhookId, delivery } }: { outcome: Outcome }) {
  if (delivery === undefined) return '–'
  return <Link to={deliveryPath(webhookId, delivery.id)}>Open the delivery</Link>
}
