import type { FoundDelivery } from '@surehook/client'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useCallback, useRef, useState } from 'react'
import { useSearchParams } from 'react-router'
import { useApi } from '../../api/api.ts'
import { DataTable } from '../../parts/data/data-table.tsx'
import { Pager } from '../../parts/data/pager.tsx'
import { EmptyState } from '../../parts/feedback/empty-state.tsx'
import { QueryView } from '../../parts/feedback/query-view.tsx'
import { Button } from '../../parts/forms/button.tsx'
import { Card, Page as Frame } from '../../parts/layout/page.tsx'
import { changeColumn, deliveryColumns } from './delivery-columns.tsx'
import { FilterBar } from './filter-bar.tsx'
import { activeFilters, queryOf } from './filters.ts'
import { KeysDialog } from './keys-dialog.tsx'
import { NewerButton } from './newer-button.tsx'
import { RedeliverDialog } from './redeliver-dialog.tsx'
import { RedeliverTheseDialog } from './redeliver-these-dialog.tsx'
import { useListKeys } from './use-list-keys.ts'

const columns = deliveryColumns<FoundDelivery>(({ webhookId }) => webhookId).toSpliced(
  2,
  0,
  changeColumn,
)
const idOf = ({ id }: FoundDelivery) => id
const none: readonly FoundDelivery[] = []
const emptyMs = 2_000

export function Page() {
  const [params] = useSearchParams()
  const query = useDeliveries(params)
  const rows = query.data?.deliveries ?? none
  const search = useRef<HTMLSelectElement>(null)
  const [isHelping, setHelping] = useState(false)
  const [redelivered, setRedelivered] = useState<FoundDelivery | null>(null)
  const [isBulk, setBulk] = useState(false)
  const onRedeliver = useCallback(
    (id: string) => setRedelivered(rows.find((row) => row.id === id) ?? null),
    [rows],
  )
  const onHelp = useCallback(() => setHelping(true), [])
  useListKeys({ search, onRedeliver, onHelp })
  return (
    <Frame
      title="Deliveries"
      description="Every delivery of every webhook, newest first."
      actions={
        <Button look="ghost" onClick={onHelp}>
          Keys <kbd>?</kbd>
        </Button>
      }
    >
      <FilterBar first={search} onRedeliver={() => setBulk(true)} />
      <div className="list-place">
        <NewerButton params={params} rows={rows} onShow={() => void query.refetch()} />
        <QueryView query={query}>
          {({ deliveries, nextCursor }) => (
            <Card isFlush>
              {deliveries.length === 0 ? (
                <NoDeliveries isFiltered={activeFilters(params).length > 0} />
              ) : (
                <DataTable label="Deliveries" columns={columns} rows={deliveries} idOf={idOf} />
              )}
              <Pager next={nextCursor} />
            </Card>
          )}
        </QueryView>
      </div>
      {isHelping && <KeysDialog onClose={() => setHelping(false)} />}
      {redelivered && (
        <RedeliverDialog delivery={redelivered} onClose={() => setRedelivered(null)} />
      )}
      {isBulk && <RedeliverTheseDialog params={params} onClose={() => setBulk(false)} />}
    </Frame>
  )
}

/** The page stands still while it is read: newer deliveries wait behind a button. */
function useDeliveries(params: URLSearchParams) {
  const { surehook, keyOf } = useApi()
  return useQuery({
    queryKey: keyOf('deliveries', 'search', params.toString()),
    queryFn: ({ signal }) => surehook.deliveries.search(queryOf(params, new Date()), { signal }),
    // An empty list has nothing that must stand still.
    refetchInterval: ({ state }) => (state.data?.deliveries.length === 0 ? emptyMs : false),
    placeholderData: keepPreviousData,
  })
}

function NoDeliveries({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered) {
    return (
      <EmptyState icon="search" title="No delivery matches">
        <p>One search reads up to 3,000 deliveries. The next page may have more.</p>
      </EmptyState>
    )
  }
  return (
    <EmptyState icon="delivery" title="No deliveries yet" command="npx surehook listen">
      <p>Create a webhook and change a record. This command shows changes on your machine.</p>
    </EmptyState>
  )
}
