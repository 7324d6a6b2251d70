import { PermissionError } from '@surehook/client'
import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Card } from '../layout/page.tsx'
import { EmptyState } from './empty-state.tsx'
import { QueryView } from './query-view.tsx'

type RightViewProps<Result> = {
  query: Pick<UseQueryResult<Result>, 'data' | 'error' | 'refetch'>
  /** What the token needs for it. */
  right: 'records' | 'sources' | 'tables' | 'users' | 'webhooks'
  children: (data: Result) => ReactNode
}

/** Like `QueryView`. If the token may not read this, it names the right that is missing. */
export function RightView<Result>({ query, right, children }: RightViewProps<Result>) {
  if (!(query.error instanceof PermissionError)) {
    return <QueryView query={query}>{children}</QueryView>
  }
  return (
    <Card>
      <EmptyState icon="key" title={`Your token lacks the right “${right}”`}>
        <p>Ask the operator for a management token with this right, and sign in with it.</p>
      </EmptyState>
    </Card>
  )
}
