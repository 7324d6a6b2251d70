import type { FoundDelivery } from '@surehook/client'
import { useCallback, useRef, useState } from 'react'
import { useSearchParams } from 'react-router'
import { faultOf } from '../../parts/feedback/faults.ts'
import { Button } from '../../parts/forms/button.tsx'
import { Page as Frame } from '../../parts/layout/page.tsx'
import { FilterBar } from './filter-bar.tsx'
import { KeysDialog } from './keys-dialog.tsx'
import { isLive } from './list/filters.ts'
import { LiveList } from './list/live-list.tsx'
import { LiveSwitch } from './list/live-switch.tsx'
import { PagedList } from './list/paged-list.tsx'
import { RedeliverDialog } from './redeliver-dialog.tsx'
import { RedeliverTheseDialog } from './redeliver-these-dialog.tsx'
import { useListKeys } from './use-list-keys.ts'

export function Page() {
  const [params] = useSearchParams()
  const listed = useRef<readonly FoundDelivery[]>([])
  const search = useRef<HTMLSelectElement>(null)
  const [isHelping, setHelping] = useState(false)
  const [redelivered, setRedelivered] = useState<FoundDelivery | null>(null)
  const [isBulk, setBulk] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const onRedeliver = useCallback(
    (id: string) => setRedelivered(listed.current.find((row) => row.id === id) ?? null),
    [],
  )
  const onListed = useCallback((rows: readonly FoundDelivery[]) => {
    listed.current = rows
  }, [])
  const onHelp = useCallback(() => setHelping(true), [])
  useListKeys({ search, onRedeliver, onHelp })
  return (
    <Frame
      title="Deliveries"
      description="Every delivery of every webhook, newest first."
      actions={
        <>
          <LiveSwitch />
          <Button look="ghost" onClick={onHelp}>
            Keys <kbd>?</kbd>
          </Button>
        </>
      }
    >
      <FilterBar
        first={search}
        onRedeliver={() => setBulk(true)}
        violations={faultOf(error).violations}
      />
      {isLive(params) ? (
        <LiveList key={params.toString()} params={params} onListed={onListed} onError={setError} />
      ) : (
        <PagedList params={params} onListed={onListed} onError={setError} />
      )}
      {isHelping && <KeysDialog onClose={() => setHelping(false)} />}
      {redelivered && (
        <RedeliverDialog delivery={redelivered} onClose={() => setRedelivered(null)} />
      )}
      {isBulk && <RedeliverTheseDialog params={params} onClose={() => setBulk(false)} />}
    </Frame>
  )
}
