import { useSearchParams } from 'react-router'
import { useWebhooks } from '../../../api/queries.ts'
import { EmptyState } from '../../../parts/feedback/empty-state.tsx'
import { Button, ButtonLink } from '../../../parts/forms/button.tsx'
import { activeFilters, withoutFilters } from './filters.ts'

/** `isCut`: the search ended before it had read every delivery. */
export function NoDeliveries({ isCut }: { isCut: boolean }) {
  const [params, setParams] = useSearchParams()
  if (activeFilters(params).length === 0) return <NothingSent />
  if (isCut) {
    return (
      <EmptyState icon="search" title="No delivery matches so far">
        <p>One search reads up to 3,000 deliveries. The next page reads older ones.</p>
      </EmptyState>
    )
  }
  return (
    <EmptyState
      icon="search"
      title="No delivery matches"
      action={<Button onClick={() => setParams(withoutFilters)}>Show all deliveries</Button>}
    >
      <p>No delivery of the history matches these filters.</p>
    </EmptyState>
  )
}

/** The next step towards a first delivery. */
function NothingSent() {
  const { data } = useWebhooks()
  const webhook = data?.webhooks.find(({ active }) => active)
  if (webhook === undefined) {
    return (
      <EmptyState
        icon="delivery"
        title="No deliveries yet"
        action={
          <ButtonLink look="primary" icon="plus" to="/webhooks/new">
            New webhook
          </ButtonLink>
        }
      >
        <p>An active webhook makes a delivery of each change that it matches.</p>
      </EmptyState>
    )
  }
  return (
    <EmptyState
      icon="delivery"
      title="No deliveries yet"
      action={
        <ButtonLink look="primary" icon="plus" to={`/tables/${webhook.table}/new-record`}>
          New record
        </ButtonLink>
      }
    >
      <p>
        A change of <code>{webhook.table}</code> makes the first one.
      </p>
    </EmptyState>
  )
}
