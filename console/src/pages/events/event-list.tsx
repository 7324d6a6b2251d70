import type { ListedEvent } from '@surehook/client'
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useApi } from '../../api/api.ts'
import { acceptsFor } from '../../api/stream/accepts.ts'
import { useHeld } from '../../api/stream/use-held.ts'
import { type RunningStream, useStream } from '../../api/stream/use-stream.ts'
import { plural } from '../../parts/data/numbers.ts'
import { DataTable } from '../../parts/data/tables/data-table.tsx'
import { FaultNotice } from '../../parts/feedback/notice.tsx'
import { RightView } from '../../parts/feedback/right-view.tsx'
import { Button } from '../../parts/forms/button.tsx'
import { Card } from '../../parts/layout/page.tsx'
import { type CountedRow, eventColumns } from './event-columns.tsx'
import { newestEvents, shownEvents } from './event-rows.ts'
import { filtersOf, queryOf, streamOf } from './filters.ts'
import { NoEvents } from './no-events.tsx'
import { useCounts } from './use-counts.ts'
import './event-list.css'

/** The newest events, as they commit. Its key must be the URL. */
export function EventList({ params }: { params: URLSearchParams }) {
  const filters = filtersOf(params)
  const { surehook, keyOf } = useApi()
  const list = params.toString()
  const accepts = acceptsFor(filters.isReservedShown, filters.table)
  const stream = useStream(streamOf(filters), accepts)
  const query = useQuery({
    queryKey: keyOf('events', 'newest', list),
    queryFn: ({ signal }) =>
      surehook.events.list({ ...queryOf(filters), limit: shownEvents }, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })
  return (
    <RightView query={query} right="webhooks">
      {({ events, limitReached }) => (
        <Rows list={list} listed={events} isCutShort={limitReached} stream={stream} />
      )}
    </RightView>
  )
}

type RowsProps = {
  list: string
  listed: readonly ListedEvent[]
  isCutShort: boolean
  stream: RunningStream
}

function Rows({ list, listed, isCutShort, stream }: RowsProps) {
  const { view, isHeld, newer, toggle } = useHeld(stream)
  const { changes } = view
  const events = useMemo(() => newestEvents(changes, listed), [changes, listed])
  const counted = useCounts(list, events)
  const rows = useMemo<CountedRow[]>(
    () => events.map((row) => ({ ...row, counts: counted.get(row.eventId) })),
    [events, counted],
  )
  return (
    <>
      {stream.error !== null && <FaultNotice error={stream.error} retry={stream.restart} />}
      <Card isFlush>
        <div className="event-list-head">
          <p role="status">
            {isHeld
              ? 'The list is paused.'
              : stream.isOpen
                ? 'The list is live. New events appear at its top.'
                : 'Connecting to the stream…'}
          </p>
          {isHeld && <p aria-live="off">{plural(newer, 'event')} came since.</p>}
          <Button onClick={toggle}>{isHeld ? 'Resume' : 'Pause'}</Button>
        </div>
        {rows.length === 0 ? (
          <NoEvents isFiltered={list !== ''} isCutShort={isCutShort} />
        ) : (
          <DataTable label="Events" columns={eventColumns} rows={rows} idOf={idOf} />
        )}
        {rows.length === shownEvents && (
          <p className="table-note">The newest {shownEvents} events.</p>
        )}
      </Card>
    </>
  )
}

const idOf = ({ eventId }: CountedRow) => eventId
