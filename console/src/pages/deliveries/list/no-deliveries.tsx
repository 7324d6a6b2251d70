import { EmptyState } from '../../../parts/feedback/empty-state.tsx'
import { activeFilters } from './filters.ts'

export function NoDeliveries({ params }: { params: URLSearchParams }) {
  if (activeFilters(params).length > 0) {
    return (
      <EmptyState icon="search" title="No delivery matches">
        <p>One search reads up to 3,000 deliveries. The next page may have more.</p>
      </EmptyState>
    )
  }
  return (
    <EmptyState icon="delivery" title="No deliveries yet" command="npx surehook listen">
      <p>Create a webhook and change a record. This command shows changes on your machine.</p>
    </EmptyState>
  )
}
