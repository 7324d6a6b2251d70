import { EmptyState } from '../../parts/feedback/empty-state.tsx'
import { ButtonLink } from '../../parts/forms/button.tsx'

type NoEventsProps = {
  isFiltered: boolean
  /** The search reached its limit: older events may match. */
  isCutShort: boolean
}

export function NoEvents({ isFiltered, isCutShort }: NoEventsProps) {
  if (isCutShort) {
    return (
      <EmptyState icon="event" title="No event among the newest changes">
        <p>One request does not read the whole log. A new event appears here at once.</p>
      </EmptyState>
    )
  }
  if (isFiltered) return <EmptyState icon="event" title="No event of the last 7 days matches" />
  return (
    <EmptyState
      icon="event"
      title="No event in the last 7 days"
      action={<ButtonLink to="/tables">Go to the tables</ButtonLink>}
    >
      <p>Every change of a record is an event. Create a record, and its event appears here.</p>
    </EmptyState>
  )
}
