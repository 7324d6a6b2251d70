import type { FoundDelivery } from '@surehook/client'
import { changeColumn, deliveryColumns } from '../../../parts/deliveries/delivery-columns.tsx'

export type ListProps = {
  params: URLSearchParams
  /** Learns which rows the list shows: keys act on them. */
  onListed: (rows: readonly FoundDelivery[]) => void
  /** Learns why there is no list, or null. */
  onError: (error: unknown) => void
}

export const columns = deliveryColumns<FoundDelivery>(({ webhookId }) => webhookId).toSpliced(
  2,
  0,
  changeColumn,
)

export const idOf = ({ id }: FoundDelivery) => id
