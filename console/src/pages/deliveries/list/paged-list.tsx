import type { FoundDelivery } from '@surehook/client'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { useApi } from '../../../api/api.ts'
import { Pager } from '../../../parts/data/tables/pager.tsx'
import { QueryView } from '../../../parts/feedback/query-view.tsx'
import { Card } from '../../../parts/layout/page.tsx'
import { DeliveryTable } from './delivery-table.tsx'
import { queryOf, searchKey } from './filters.ts'
import type { ListProps } from './list-props.ts'
import { NewerButton } from './newer-button.tsx'
import { NoDeliveries } from './no-deliveries.tsx'
import { newerThan } from './tail.ts'

const none: readonly FoundDelivery[] = []
const emptyMs = 2_000

/** A page of the history. It stands still: newer deliveries wait behind a button. */
export function PagedList({ params, onListed, onError }: ListProps) {
  const query = useDeliveries(params)
  const rows = query.data?.deliveries ?? none
  useEffect(() => onListed(rows), [onListed, rows])
  useEffect(() => onError(query.error), [onError, query.error])
  const newer = useNewer(params, rows, query.data !== undefined && !query.isPlaceholderData)
  return (
    <div className="list-place">
      <NewerButton {...newer} onShow={() => void query.refetch()} />
      <p className="visually-hidden" role="status">
        {newer.newer > 0 && 'Newer deliveries wait behind a button.'}
      </p>
      <QueryView query={query}>
        {({ deliveries, nextCursor }) => (
          <Card isFlush>
            {deliveries.length === 0 ? (
              <NoDeliveries isCut={nextCursor !== null} />
            ) : (
              <DeliveryTable rows={deliveries} />
            )}
            <Pager next={nextCursor} />
          </Card>
        )}
      </QueryView>
    </div>
  )
}

function useDeliveries(params: URLSearchParams) {
  const { surehook, keyOf } = useApi()
  return useQuery({
    queryKey: keyOf(...searchKey(params)),
    queryFn: ({ signal }) => surehook.deliveries.search(queryOf(params, new Date()), { signal }),
    // An empty list has nothing that must stand still.
    refetchInterval: ({ state }) => (state.data?.deliveries.length === 0 ? emptyMs : false),
    placeholderData: keepPreviousData,
  })
}

const everyMs = 3_000
const counted = 50

/** Counts the deliveries that came after the first page was read. It asks first after a pause. */
function useNewer(params: URLSearchParams, rows: readonly FoundDelivery[], isLoaded: boolean) {
  const { surehook, keyOf } = useApi()
  const isFirstPage = !params.has('cursor')
  const { data } = useQuery({
    queryKey: keyOf('deliveries', 'newer', params.toString(), rows[0]?.id),
    queryFn: async ({ signal }) => {
      const query = { ...queryOf(params, new Date()), limit: counted }
      const { deliveries } = await surehook.deliveries.search(query, { signal })
      return newerThan(rows[0], deliveries)
    },
    enabled: isFirstPage && isLoaded,
    initialData: 0,
    staleTime: everyMs,
    refetchInterval: everyMs,
  })
  return { newer: isFirstPage ? data : 0, isMore: data >= counted }
}
