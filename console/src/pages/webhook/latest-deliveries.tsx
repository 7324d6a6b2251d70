import type { FoundDelivery, Subscription } from '@surehook/client'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import { useApi } from '../../api/api.ts'
import { freshMs } from '../../api/queries.ts'
import { DataTable } from '../../parts/data/tables/data-table.tsx'
import { deliveryColumns } from '../../parts/deliveries/delivery-columns.tsx'
import { EmptyState } from '../../parts/feedback/empty-state.tsx'
import { QueryView } from '../../parts/feedback/query-view.tsx'
import { Card } from '../../parts/layout/page.tsx'
import { TestButton } from './test-button.tsx'

const shown = 10

export function LatestDeliveries({ webhook }: { webhook: Subscription }) {
  return (
    <Card
      title="Latest deliveries"
      isFlush
      actions={<Link to={`/deliveries?webhookId=${webhook.id}`}>All deliveries</Link>}
    >
      <QueryView query={useLatest(webhook.id)}>
        {({ deliveries }) =>
          deliveries.length === 0 ? (
            <NoDeliveries webhook={webhook} />
          ) : (
            <DataTable
              label="Latest deliveries"
              columns={deliveryColumns}
              rows={deliveries}
              idOf={idOf}
            />
          )
        }
      </QueryView>
    </Card>
  )
}

const idOf = ({ id }: FoundDelivery) => id

/** The search knows the change of each delivery. The list of the webhook itself does not. */
function useLatest(webhookId: string) {
  const { surehook, keyOf } = useApi()
  return useQuery({
    queryKey: keyOf('deliveries', 'latest', webhookId),
    queryFn: ({ signal }) => surehook.deliveries.search({ webhookId, limit: shown }, { signal }),
    refetchInterval: freshMs,
  })
}

function NoDeliveries({ webhook }: { webhook: Subscription }) {
  return (
    <EmptyState
      icon="delivery"
      title="Nothing was delivered yet"
      action={<TestButton webhook={webhook} />}
    >
      <p>
        <Link to={`/tables/${webhook.table}/new-record`}>Create a record</Link> of{' '}
        <code>{webhook.table}</code>, or send a test event.
      </p>
    </EmptyState>
  )
}
