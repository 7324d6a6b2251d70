import { useQueries } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useApi } from '../../api/api.ts'
import { sumOf } from './day.ts'

/** One request reads the numbers of one webhook. */
const counted = 50
const everyMs = 20_000

export function useDay(ids: readonly string[]) {
  const { surehook, keyOf } = useApi()
  const queries = useQueries({
    queries: ids.slice(0, counted).map((id) => ({
      queryKey: keyOf('webhooks', id, 'stats', '24h'),
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        surehook.webhooks.stats(id, { window: '24h' }, { signal }),
      refetchInterval: everyMs,
    })),
    combine: (results) => ({
      isReady: results.every(({ isPending }) => !isPending),
      stats: results.flatMap(({ data }) => data ?? []),
    }),
  })
  const { isReady, stats } = queries
  const day = useMemo(() => sumOf(stats), [stats])
  return { day, isReady, leftOut: Math.max(0, ids.length - counted) }
}
