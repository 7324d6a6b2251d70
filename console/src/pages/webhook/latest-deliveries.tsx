import type { Delivery, Subscription } from '@surehook/client'
import { useMemo } from 'react'
import { Link } from 'react-router'
import { DataTable } from '../../parts/data/tables/data-table.tsx'
import { deliveryColumns } from '../../parts/deliveries/delivery-columns.tsx'
import { EmptyState } from '../../parts/feedback/empty-state.tsx'
import { Card } from '../../parts/layout/page.tsx'
import { TestButton } from './test-button.tsx'

type LatestDeliveriesProps = { webhook: Subscription; deliveries: readonly Delivery[] }

const shown = 10

export function LatestDeliveries({ webhook, deliveries }: LatestDeliveriesProps) {
  const columns = useMemo(() => deliveryColumns(() => webhook.id), [webhook.id])
  return (
    <Card
      title="Latest deliveries"
      isFlush
      actions={<Link to={`/deliveries?webhookId=${webhook.id}`}>All deliveries</Link>}
    >
      {deliveries.length === 0 ? (
        <EmptyState
          icon="delivery"
          title="Nothing was delivered yet"
          action={<TestButton webhook={webhook} />}
        >
          <p>
            <Link to={`/tables/${webhook.table}/new-record`}>Create a record</Link> of{' '}
            <code>{webhook.table}</code>, or send a test event.
          </p>
        </EmptyState>
      ) : (
        <DataTable
          label="Latest deliveries"
          columns={columns}
          rows={deliveries.slice(0, shown)}
          idOf={({ id }) => id}
        />
      )}
    </Card>
  )
}
