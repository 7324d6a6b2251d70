import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Loading } from './loading.tsx'
import { FaultNotice } from './notice.tsx'

type QueryViewProps<Result> = {
  query: Pick<UseQueryResult<Result>, 'data' | 'error' | 'refetch'>
  children: (data: Result) => ReactNode
}

/** Shows an answer, or why there is none. An older answer stays visible below a failure. */
export function QueryView<Result>({ query, children }: QueryViewProps<Result>) {
  const { data, error, refetch } = query
  return (
    <>
      {error !== null && <FaultNotice error={error} retry={() => void refetch()} />}
      {data === undefined ? error === null && <Loading /> : children(data)}
    </>
  )
}
