import { PermissionError } from '@surehook/client'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useApi } from '../../api/api.ts'
import { useEnvironments, useTables } from '../../api/queries.ts'
import { useDebounced } from '../../parts/forms/use-debounced.ts'
import {
  type Entry,
  environmentEntry,
  type FoundById,
  type Group,
  idEntries,
  isUuid,
  matching,
  mayBeId,
  projectEntries,
  tableEntry,
  webhookEntry,
} from './entries.ts'

/** The most entries of each kind. Who types more sees others. */
export const shownPerGroup = 8
const pauseMs = 150
/** The API refuses a longer text. */
const longest = 200

export type PaletteResult = {
  groups: { byId: Group[]; named: Group[] }
  isSearching: boolean
  error: unknown
  /** More match than are shown. */
  isCut: boolean
}

/** A key for each query: the answer to an older one never replaces that to a newer one. */
function useSearch<Result>(
  kind: string,
  query: string,
  search: (query: string, signal: AbortSignal) => Promise<Result>,
) {
  const { keyOf } = useApi()
  const settled = useDebounced(query, pauseMs)
  const { data, error, isFetching, isPlaceholderData } = useQuery({
    queryKey: keyOf('palette', kind, settled),
    queryFn: async ({ signal }) => {
      try {
        return await search(settled, signal)
      } catch (err) {
        // The token has no right to these.
        if (err instanceof PermissionError) return null
        throw err
      }
    },
    enabled: settled !== '' && query !== '',
    placeholderData: keepPreviousData,
  })
  const isOlder = isPlaceholderData || settled !== query
  const isSearching = query !== '' && (isFetching || settled !== query)
  return { data: query === '' ? null : data, error, isOlder, isSearching }
}

type OwnEnvironment = { project: string; environment: string }

/** What the environment has for the query: webhooks, tables, and what a pasted id belongs to. */
export function useFoundInEnvironment(typed: string, own: OwnEnvironment): PaletteResult {
  const query = typed.trim()
  const webhooks = useWebhooksFound(query)
  const ids = useFoundById(query)
  const others = useKnown(query, own)
  return {
    groups: {
      byId: [{ name: 'By id', items: ids.items }],
      named: [{ name: 'Webhooks', items: webhooks.items }, ...others],
    },
    isSearching: webhooks.isSearching || ids.isSearching,
    error: webhooks.error ?? ids.error,
    isCut: webhooks.isCut,
  }
}

function useWebhooksFound(query: string) {
  const { surehook } = useApi()
  const { data, isOlder, ...state } = useSearch('webhooks', query, (search, signal) =>
    surehook.webhooks.list({ search: search.slice(0, longest), limit: shownPerGroup }, { signal }),
  )
  const items = (data?.webhooks ?? []).map(webhookEntry)
  return { ...state, ...shownOf(items, query, isOlder, data?.nextCursor) }
}

/** Entries of an older answer stay while the next one is on its way, if they match. */
const shownOf = (
  items: Entry[],
  query: string,
  isOlder: boolean,
  nextCursor: string | null | undefined,
) => ({
  items: isOlder ? matching(items, query) : items,
  isCut: !isOlder && typeof nextCursor === 'string',
})

function useFoundById(query: string) {
  const { surehook } = useApi()
  const { data, isOlder, ...state } = useSearch(
    'ids',
    mayBeId(query) ? query : '',
    async (id, signal) => {
      const search: Search = (asked) =>
        surehook.deliveries.search({ ...asked, limit: 1 }, { signal })
      return { id, ...(await lookUp(id, search)) }
    },
  )
  return { ...state, items: isOlder || !data ? [] : idEntries(data) }
}

/** What the console has read already: tables, and the other environments of the user. */
function useKnown(query: string, { project, environment }: OwnEnvironment): Group[] {
  const tables = useTables().data ?? []
  const environments = useEnvironments(project) ?? []
  const others = environments.filter((name) => name !== environment)
  const found = query === '' ? [] : matching(tables.map(tableEntry), query)
  return [
    { name: 'Tables', items: found.slice(0, shownPerGroup) },
    { name: 'Environments', items: matching(others.map(environmentEntry), query) },
  ]
}

type Search = (query: { deliveryId?: string; eventId?: string }) => Promise<{
  deliveries: NonNullable<FoundById['delivery']>[]
}>

async function lookUp(id: string, search: Search): Promise<Omit<FoundById, 'id'>> {
  const [byId, ofEvent] = await Promise.all([
    isUuid(id) ? search({ deliveryId: id }) : { deliveries: [] },
    search({ eventId: id }),
  ])
  return { delivery: byId.deliveries[0], ofEvent: ofEvent.deliveries[0] }
}

/** What the installation has for the query: projects. */
export function useFoundInInstallation(typed: string, pathname: string): PaletteResult {
  const query = typed.trim()
  const { surehook } = useApi()
  const { data, isOlder, error, isSearching } = useSearch('projects', query, (search, signal) =>
    surehook.admin.projects.list(
      { search: search.slice(0, longest), limit: shownPerGroup },
      { signal },
    ),
  )
  const all = (data?.projects ?? []).flatMap((one) => projectEntries(one, pathname))
  const { items, isCut } = shownOf(all, query, isOlder, data?.nextCursor)
  return { groups: { byId: [], named: [{ name: 'Projects', items }] }, error, isSearching, isCut }
}
