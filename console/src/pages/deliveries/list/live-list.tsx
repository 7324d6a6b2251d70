import type { FoundDelivery } from '@surehook/client'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { useApi } from '../../../api/api.ts'
import { count } from '../../../parts/data/numbers.ts'
import { Loading } from '../../../parts/feedback/loading.tsx'
import { FaultNotice } from '../../../parts/feedback/notice.tsx'
import { Card } from '../../../parts/layout/page.tsx'
import { DeliveryTable } from './delivery-table.tsx'
import { searchKey, withLive } from './filters.ts'
import type { ListProps } from './list-props.ts'
import { NewerButton } from './newer-button.tsx'
import { NoDeliveries } from './no-deliveries.tsx'
import { kept, statusText } from './tail.ts'
import { useTail } from './use-tail.ts'
import './live-list.css'

/** The newest deliveries, as they come. */
export function LiveList({ params, onListed, onError }: ListProps) {
  const list = useRef<HTMLDivElement>(null)
  const first = useFirstRows(params)
  const { tail, catchUp, isLoaded, error, retry } = useTail(params, list, first)
  const { shown, newer, isMore, isHeld } = tail
  useEffect(() => onListed(shown), [onListed, shown])
  useEffect(() => onError(error), [onError, error])
  const isEmpty = shown.length === 0
  // Once rows are there, a notice above them would move them.
  if (isEmpty && error !== null) return <FaultNotice error={error} retry={() => void retry()} />
  if (isEmpty && !isLoaded) return <Loading />
  const show = () => {
    catchUp()
    leaveRows(list.current)
  }
  return (
    <div className="list-place live-list" ref={list}>
      <NewerButton newer={isHeld ? newer : 0} isMore={isMore} onShow={show} />
      <Card isFlush>
        <LiveStatus isHeld={isHeld} isFailing={error !== null} />
        {isEmpty ? <NoDeliveries isCut={!tail.isWhole} /> : <DeliveryTable rows={shown} />}
        {shown.length === kept && (
          <p className="table-note">
            The newest {count(kept)} deliveries. Switch Live off to page through older ones.
          </p>
        )}
      </Card>
    </div>
  )
}

function LiveStatus({ isHeld, isFailing }: { isHeld: boolean; isFailing: boolean }) {
  const state = isFailing ? 'is-failing' : isHeld && 'is-held'
  return (
    <p className="live-status">
      <span className={`live-dot ${state || 'is-running'}`} aria-hidden="true" />
      <span role="status">{statusText({ isHeld, isFailing })}</span>
    </p>
  )
}

/** What the page showed before it became live. */
function useFirstRows(params: URLSearchParams): readonly FoundDelivery[] {
  const { keyOf } = useApi()
  const queries = useQueryClient()
  const [first] = useState(() => {
    const key = keyOf(...searchKey(withLive(params, false)))
    return queries.getQueryData<{ deliveries: FoundDelivery[] }>(key)?.deliveries ?? []
  })
  return first
}

/** The list follows again from its top, and the next Tab begins there. */
function leaveRows(list: HTMLElement | null): void {
  list?.scrollIntoView({ block: 'start' })
  list?.querySelector<HTMLElement>('.table-scroll')?.focus({ preventScroll: true })
}
