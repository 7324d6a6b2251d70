import type { EnvironmentStats } from '@surehook/client'
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useApi } from '../../api/api.ts'
import { onPage, slowRefreshMs } from '../../api/queries.ts'
import { byWebhook } from '../webhooks/webhook-columns.tsx'
import { sumOf } from './day.ts'

/** An environment has 1,000 webhooks, unless the operator allows more. */
const mostPages = 5

/** The numbers of the last day, of all webhooks together and of each. */
export function useDay() {
  const { surehook, keyOf } = useApi()
  const query = useQuery({
    queryKey: keyOf('webhooks', 'day'),
    queryFn: ({ signal }) =>
      readPages((cursor) =>
        surehook.webhooks.statsOfAll(
          { window: '24h', limit: onPage, ...(cursor !== null && { cursor }) },
          { signal },
        ),
      ),
    refetchInterval: slowRefreshMs,
  })
  const { data: pages } = query
  const day = useMemo(() => sumOf(pages ?? []), [pages])
  const numbers = useMemo(() => byWebhook(pages?.flatMap(({ webhooks }) => webhooks)), [pages])
  const isCut = (pages?.at(-1)?.nextCursor ?? null) !== null
  return { query, day, numbers, isCut }
}

async function readPages(
  read: (cursor: string | null) => Promise<EnvironmentStats>,
): Promise<EnvironmentStats[]> {
  const first = await read(null)
  const pages = [first]
  for (let { nextCursor } = first; nextCursor !== null && pages.length < mostPages; ) {
    const page = await read(nextCursor)
    pages.push(page)
    nextCursor = page.nextCursor
  }
  return pages
}
