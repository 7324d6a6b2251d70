import { EmptyState } from '../parts/feedback/empty-state.tsx'
import { ButtonLink } from '../parts/forms/button.tsx'
import { Page } from '../parts/layout/page.tsx'

export function NotFound() {
  return (
    <Page title="Not found">
      <EmptyState
        icon="search"
        title="There is no such page"
        action={<ButtonLink to="/">Go to the first page</ButtonLink>}
      >
        The address may be mistyped, or of another version of the console.
      </EmptyState>
    </Page>
  )
}
