import type { EventDetail } from '@surehook/client'
import { useQuery } from '@tanstack/react-query'
import { useParams, useSearchParams } from 'react-router'
import { useApi } from '../../api/api.ts'
import { ExactTime, Time } from '../../parts/data/time/time.tsx'
import { QueryView } from '../../parts/feedback/query-view.tsx'
import { Card, Facts, Page as Frame } from '../../parts/layout/page.tsx'
import { OutcomesCard } from './outcomes-card.tsx'
import { RecordCard } from './record-card.tsx'

export function Page() {
  const { eventId = '' } = useParams()
  const [params] = useSearchParams()
  const timestamp = params.get('at') ?? ''
  const { surehook, keyOf } = useApi()
  const query = useQuery({
    queryKey: keyOf('events', eventId, { timestamp }),
    queryFn: ({ signal }) =>
      surehook.events.explain(eventId, timestamp === '' ? {} : { timestamp }, { signal }),
    refetchInterval: 5_000,
  })
  return (
    <Frame
      title="Event"
      parent={{ to: '/events', label: 'Events' }}
      description={<code className="breakable">{eventId}</code>}
    >
      <QueryView query={query}>{(detail) => <EventView detail={detail} />}</QueryView>
    </Frame>
  )
}

function EventView({ detail }: { detail: EventDetail }) {
  const { table, event, recordId, timestamp } = detail
  return (
    <>
      <Card>
        <Facts
          items={[
            ['Operation', event ?? 'Unknown'],
            ['Table', table === null ? 'Unknown' : <code key="table">{table}</code>],
            ['Record', recordId === null ? 'Unknown' : <code key="record">{recordId}</code>],
            [
              'Changed',
              timestamp === null ? (
                'Unknown'
              ) : (
                <>
                  <Time at={timestamp} /> · <ExactTime at={timestamp} />
                </>
              ),
            ],
          ]}
        />
      </Card>
      <OutcomesCard detail={detail} />
      <RecordCard detail={detail} />
    </>
  )
}
