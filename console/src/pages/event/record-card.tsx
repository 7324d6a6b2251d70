import type { EventBefore, EventDetail } from '@surehook/client'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import { useApi } from '../../api/api.ts'
import { RecordChange } from '../../parts/data/change/record-change.tsx'
import { eventPath } from '../../parts/data/event-path.ts'
import { ExactTime } from '../../parts/data/time/time.tsx'
import { FaultNotice, Notice } from '../../parts/feedback/notice.tsx'
import { Card } from '../../parts/layout/page.tsx'

const none: readonly string[] = []

/** The record after the change, and what the changed fields were before. */
export function RecordCard({ detail }: { detail: EventDetail }) {
  const { record, changedFields, event } = detail
  if (record === null) {
    return (
      <Card title="The record after the change">
        <Notice title="The log no longer has the change" />
      </Card>
    )
  }
  if (event !== 'UPDATE') {
    const title =
      event === 'DELETE' ? 'The record before the change' : 'The record after the change'
    return (
      <Card title={title}>
        <RecordChange label="Record" record={record} changedFields={changedFields ?? none} />
      </Card>
    )
  }
  return <Update detail={detail} record={record} changedFields={changedFields ?? none} />
}

type UpdateProps = {
  detail: EventDetail
  record: Record<string, unknown>
  changedFields: readonly string[]
}

function Update({ detail: { eventId, timestamp }, record, changedFields }: UpdateProps) {
  const { surehook, keyOf } = useApi()
  const { data, error, refetch } = useQuery({
    queryKey: keyOf('events', eventId, 'before'),
    queryFn: ({ signal }) =>
      surehook.events.before(eventId, timestamp === null ? {} : { timestamp }, { signal }),
    // The past changes no more.
    staleTime: Number.POSITIVE_INFINITY,
  })
  return (
    <Card title="What the change did">
      <div className="stack">
        {error !== null && <FaultNotice error={error} retry={() => void refetch()} />}
        <RecordChange
          label="Record"
          record={record}
          changedFields={changedFields}
          before={data?.record ?? null}
        />
        <p className="quiet small" role="status">
          {data === undefined ? (
            error === null && 'Looking up the previous values…'
          ) : (
            <From before={data} />
          )}
        </p>
      </div>
    </Card>
  )
}

/** Where the previous values come from, or why there are none. */
function From({ before: { outcome, eventId, timestamp } }: { before: EventBefore }) {
  if (outcome === 'unseen') {
    return 'The previous values were not found: one request does not read that far back.'
  }
  if (eventId === null || timestamp === null) {
    return 'The log no longer has the previous change. Only the new values are known.'
  }
  return (
    <>
      The previous values come from{' '}
      <Link to={eventPath(eventId, timestamp)}>the previous change</Link>, at{' '}
      <ExactTime at={timestamp} />.
    </>
  )
}
