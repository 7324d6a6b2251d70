import type { FoundDelivery } from '@surehook/client'
import type { RefObject } from 'react'
import { changeColumn, deliveryColumns } from '../delivery-columns.tsx'

export type ListProps = {
  params: URLSearchParams
  /** The rows that the list shows: keys act on them. */
  listed: RefObject<readonly FoundDelivery[]>
}

export const columns = deliveryColumns<FoundDelivery>(({ webhookId }) => webhookId).toSpliced(
  2,
  0,
  changeColumn,
)

export const idOf = ({ id }: FoundDelivery) => id
