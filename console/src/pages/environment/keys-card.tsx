import { useQuery } from '@tanstack/react-query'
import { useApi } from '../../api/api.ts'
import { type Column, DataTable } from '../../parts/data/tables/data-table.tsx'
import { QueryView } from '../../parts/feedback/query-view.tsx'
import { Card } from '../../parts/layout/page.tsx'
import { keyColumns, keyIdOf } from './key-columns.tsx'

type PublishedKey = { kid: string; use: 'sig' | 'enc'; alg: string }

const columns: readonly Column<PublishedKey>[] = [
  ...keyColumns,
  { id: 'alg', header: 'Algorithm', cell: ({ alg }) => <code>{alg}</code> },
]

/** The public keys with which services verify the access tokens of this environment (RFC 7517). */
export function KeysCard({ project, environment }: { project: string; environment: string }) {
  const { keyOf, requestAs } = useApi()
  const query = useQuery({
    queryKey: keyOf('environments', project, environment, 'keys'),
    queryFn: async ({ signal }) => {
      const path = `/auth/${project}/${environment}/.well-known/jwks.json`
      const answer = await requestAs(null, path, { signal })
      if (!answer.ok) throw new Error('The environment publishes no keys.')
      return (await answer.json()) as { keys: PublishedKey[] }
    },
  })
  return (
    <Card title="Public keys" isFlush>
      <QueryView query={query}>
        {({ keys }) => (
          <DataTable label="Public keys" columns={columns} rows={keys} idOf={keyIdOf} />
        )}
      </QueryView>
    </Card>
  )
}
