import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Loading } from './loading.tsx'
import { FaultNotice } from './notice.tsx'

type QueryViewProps<Data> = {
  query: Pick<UseQueryResult<Data>, 'data' | 'error' | 'refetch'>
  children: (data: Data) => ReactNode
}

/** Shows an answer, or why there is none. An older answer stays visible below a failure. */
export function QueryView<Data>({ query, children }: QueryViewProps<Data>) {
  const { data, error, refetch } = query
  return (
    <>
      {error !== null && <FaultNotice error={error} retry={() => void refetch()} />}
      {data === undefined ? error === null && <Loading /> : children(data)}
    </>
  )
}
