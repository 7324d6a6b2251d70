import type { FoundDelivery } from '@surehook/client'
import { useCallback, useMemo, useRef, useState } from 'react'
import { useSearchParams } from 'react-router'
import { faultOf } from '../../parts/feedback/faults.ts'
import { usePageKeys } from '../../parts/keys/keys.tsx'
import { focusedRowId } from '../../parts/keys/list-rows.ts'
import { Page as Frame } from '../../parts/layout/page.tsx'
import { FilterBar } from './filter-bar.tsx'
import { isLive } from './list/filters.ts'
import { LiveList } from './list/live-list.tsx'
import { LiveSwitch } from './list/live-switch.tsx'
import { PagedList } from './list/paged-list.tsx'
import { RedeliverDialog } from './redeliver-dialog.tsx'
import { RedeliverTheseDialog } from './redeliver-these-dialog.tsx'

export function Page() {
  const [params] = useSearchParams()
  const listed = useRef<readonly FoundDelivery[]>([])
  const [redelivered, setRedelivered] = useState<FoundDelivery | null>(null)
  const [isBulk, setBulk] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const onListed = useCallback((rows: readonly FoundDelivery[]) => {
    listed.current = rows
  }, [])
  const keys = useMemo(() => {
    const focused = () => listed.current.find(({ id }) => id === focusedRowId()) ?? null
    return [{ key: 'r', does: 'Redeliver the delivery', act: () => setRedelivered(focused()) }]
  }, [])
  usePageKeys(keys)
  return (
    <Frame
      title="Deliveries"
      description="Every delivery of every webhook, newest first."
      actions={<LiveSwitch />}
    >
      <FilterBar onRedeliver={() => setBulk(true)} violations={faultOf(error).violations} />
      {isLive(params) ? (
        <LiveList key={params.toString()} params={params} onListed={onListed} onError={setError} />
      ) : (
        <PagedList params={params} onListed={onListed} onError={setError} />
      )}
      {redelivered && (
        <RedeliverDialog delivery={redelivered} onClose={() => setRedelivered(null)} />
      )}
      {isBulk && <RedeliverTheseDialog params={params} onClose={() => setBulk(false)} />}
    </Frame>
  )
}
