import { useSearchParams } from 'react-router'
import { Page as Frame } from '../../parts/layout/page.tsx'
import { EventFilterBar } from './event-filters.tsx'
import { EventList } from './event-list.tsx'
import { FindEvent } from './find-event.tsx'

export function Page() {
  const [params] = useSearchParams()
  return (
    <Frame
      title="Events"
      description="Every change of a record is an event. See how many webhooks got each, and why others did not."
    >
      <EventFilterBar />
      <EventList key={params.toString()} params={params} />
      <FindEvent />
    </Frame>
  )
}
