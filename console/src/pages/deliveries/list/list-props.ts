import type { FoundDelivery } from '@surehook/client'

export type ListProps = {
  params: URLSearchParams
  /** Learns which rows the list shows: keys act on them. */
  onListed: (rows: readonly FoundDelivery[]) => void
  /** Learns why there is no list, or null. */
  onError: (error: unknown) => void
}
