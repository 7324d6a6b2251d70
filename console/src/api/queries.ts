import type { Endpoint, Subscription, WebhookStats } from '@surehook/client'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { type Column, columnsOf } from '../parts/filter/model/columns.ts'
import { useApi } from './api.ts'

/** Lists that several pages show refresh while they are visible. */
export const freshMs = 5_000
/** Long lists and statistics refresh less often. */
export const slowRefreshMs = 4 * freshMs

/** The most that one request lists. */
const longestList = 1_000

/** The subscriptions of a page of the list, and of a page of statistics. */
export const onPage = 200

/** The newest subscriptions, which are all of them unless the operator allows more. */
export function useWebhooks() {
  const { surehook, keyOf } = useApi()
  return useQuery({
    queryKey: keyOf('webhooks'),
    queryFn: ({ signal }) => surehook.webhooks.list({ limit: longestList }, { signal }),
    refetchInterval: slowRefreshMs,
  })
}

export function useWebhookPage(asked: ListQuery) {
  const { surehook, keyOf } = useApi()
  return useQuery({
    queryKey: keyOf('webhooks', 'page', asked),
    queryFn: ({ signal }) => surehook.webhooks.list({ ...asked, limit: onPage }, { signal }),
    refetchInterval: slowRefreshMs,
    placeholderData: keepPreviousData,
  })
}

/** The numbers of the same page: both lists have the same order and cursors. */
export function useStatsPage(asked: ListQuery) {
  const { surehook, keyOf } = useApi()
  return useQuery({
    queryKey: keyOf('webhooks', 'page', asked, 'stats'),
    queryFn: ({ signal }) => surehook.webhooks.statsOfAll({ ...asked, limit: onPage }, { signal }),
    refetchInterval: slowRefreshMs,
    placeholderData: keepPreviousData,
  })
}

/** What a list is searched for, and where its page begins. */
export type ListQuery = { search?: string; cursor?: string }

const pageAt = (cursor: string | undefined) => ({
  limit: onPage,
  ...(cursor !== undefined && { cursor }),
})

/** A subscription and its newest deliveries. */
export function useWebhook(id: string) {
  const { surehook, keyOf } = useApi()
  return useQuery({
    queryKey: keyOf('webhooks', id),
    queryFn: ({ signal }) => surehook.webhooks.get(id, { signal }),
    refetchInterval: freshMs,
  })
}

export function useStats(id: string, window: WebhookStats['window'] = '24h') {
  const { surehook, keyOf } = useApi()
  return useQuery({
    queryKey: keyOf('webhooks', id, 'stats', window),
    queryFn: ({ signal }) => surehook.webhooks.stats(id, { window }, { signal }),
    refetchInterval: slowRefreshMs,
    placeholderData: keepPreviousData,
  })
}

export function useEndpoints() {
  const { surehook, keyOf } = useApi()
  return useQuery({
    queryKey: keyOf('endpoints'),
    queryFn: ({ signal }) => surehook.endpoints.list({ limit: longestList }, { signal }),
    refetchInterval: freshMs,
  })
}

export function useEndpointPage(cursor?: string) {
  const { surehook, keyOf } = useApi()
  return useQuery({
    queryKey: keyOf('endpoints', 'page', cursor),
    queryFn: ({ signal }) => surehook.endpoints.list(pageAt(cursor), { signal }),
    refetchInterval: freshMs,
  })
}

/** Returns the endpoint as the webhook meets it: its own circuit may be open. */
export function endpointOf(
  { id }: Pick<Subscription, 'id'>,
  endpoints: readonly Endpoint[] | undefined,
): Endpoint | undefined {
  const endpoint = endpoints?.find(({ webhooks }) => webhooks.includes(id))
  return endpoint?.refusedWebhooks.includes(id) ? { ...endpoint, circuit: 'open' } : endpoint
}

export function useTables() {
  const { surehook, keyOf } = useApi()
  return useQuery({
    queryKey: keyOf('tables'),
    queryFn: ({ signal }) => surehook.tables.list({ signal }),
  })
}

export function useTable(table: string) {
  const { surehook, keyOf } = useApi()
  return useQuery({
    queryKey: keyOf('tables', table),
    queryFn: ({ signal }) => surehook.tables.get(table, { signal }),
  })
}

/** The columns of a table, or null if the data API does not tell, or a source not yet. */
export function useColumns(name: string): readonly Column[] | null {
  const table = useTables().data?.find((one) => one.name === name)
  return useMemo(() => {
    const columns = table === undefined ? [] : columnsOf(table)
    return columns.length === 0 ? null : columns
  }, [table])
}

/** The names of the tables. A token without that right gets none. */
export const useTableNames = (): readonly string[] =>
  useTables().data?.map(({ name }) => name) ?? []

/** The environments of a project that the user may choose, by name. */
export function useEnvironments(project: string | undefined): readonly string[] | undefined {
  const { inTenant, keyOf } = useApi()
  const { data } = useQuery({
    queryKey: keyOf('environments', 'of', project),
    queryFn: ({ signal }) => inTenant(project ?? '', '-').admin.environments.list({ signal }),
    enabled: project !== undefined,
    staleTime: slowRefreshMs,
  })
  return data?.environments
}

/** The first roles of the environment, which are all that most have. */
export function useRoles() {
  const { surehook, keyOf } = useApi()
  return useQuery({
    queryKey: keyOf('roles'),
    queryFn: ({ signal }) => surehook.admin.roles.list({ limit: onPage }, { signal }),
  })
}
