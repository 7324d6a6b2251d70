import type { FoundDelivery } from '@surehook/client'
import { useMemo } from 'react'
import { useWebhooks } from '../../../api/queries.ts'
import { DataTable } from '../../../parts/data/tables/data-table.tsx'
import { deliveryColumns, webhookColumn } from '../../../parts/deliveries/delivery-columns.tsx'

/** Deliveries of several webhooks. */
export function DeliveryTable({ rows }: { rows: readonly FoundDelivery[] }) {
  const webhooks = useWebhooks().data?.webhooks
  const columns = useMemo(
    () => deliveryColumns.toSpliced(1, 0, webhookColumn(webhooks)),
    [webhooks],
  )
  return <DataTable label="Deliveries" columns={columns} rows={rows} idOf={idOf} />
}

const idOf = ({ id }: FoundDelivery) => id
