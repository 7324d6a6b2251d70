import type { ManagementToken } from '@surehook/client'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type ReactNode, useMemo, useState } from 'react'
import { useParams } from 'react-router'
import { useApi } from '../../api/api.ts'
import { type Column, DataTable } from '../../parts/data/tables/data-table.tsx'
import { ListSearch, useListSearch } from '../../parts/data/tables/list-search.tsx'
import { Pager } from '../../parts/data/tables/pager.tsx'
import { Time } from '../../parts/data/time/time.tsx'
import { EmptyState, NothingFound } from '../../parts/feedback/empty-state.tsx'
import { faultOf, violationOf } from '../../parts/feedback/faults.ts'
import { QueryView } from '../../parts/feedback/query-view.tsx'
import { Button } from '../../parts/forms/button.tsx'
import { Card, Page as Frame } from '../../parts/layout/page.tsx'
import { ExpiryCell } from './expiry-cell.tsx'
import { NewTokenDialog } from './new-token-dialog.tsx'
import { environmentsText, rightsText } from './token-draft.ts'
import { TokenMenu } from './token-menu.tsx'

const columnsOf = (project: string): readonly Column<ManagementToken>[] => [
  {
    id: 'name',
    header: 'Token',
    cell: ({ name }) => <span className="breakable">{name}</span>,
    isTitle: true,
  },
  { id: 'rights', header: 'Rights', cell: rightsText },
  { id: 'environments', header: 'Environments', cell: environmentsText },
  { id: 'expires', header: 'Expires', cell: (token) => <ExpiryCell token={token} /> },
  { id: 'created', header: 'Created', cell: ({ createdAt }) => <Time at={createdAt} /> },
  {
    id: 'action',
    header: 'Actions',
    cell: (token) => <TokenMenu project={project} token={token} />,
    align: 'end',
  },
]

const idOf = ({ id }: ManagementToken) => id

export function Page() {
  const { project = '' } = useParams()
  const asked = useListSearch()
  const query = useTokens(project, asked)
  const columns = useMemo(() => columnsOf(project), [project])
  const [isCreating, setCreating] = useState(false)
  const create = (
    <Button look="primary" icon="plus" onClick={() => setCreating(true)}>
      New token
    </Button>
  )
  return (
    <Frame
      title={`Management tokens of ${project}`}
      parent={{ to: '/operator', label: 'Projects' }}
      description="Developers and their services call the API with a management token."
      actions={create}
    >
      <ListSearch
        label="Search tokens"
        violation={violationOf(faultOf(query.error).violations, 'search')}
      />
      <QueryView query={query}>
        {({ tokens, nextCursor }) => (
          <Card isFlush>
            {tokens.length === 0 ? (
              <NoTokens isFiltered={asked.search !== undefined} create={create} />
            ) : (
              <DataTable label="Management tokens" columns={columns} rows={tokens} idOf={idOf} />
            )}
            <Pager next={nextCursor} />
          </Card>
        )}
      </QueryView>
      {isCreating && <NewTokenDialog project={project} onClose={() => setCreating(false)} />}
    </Frame>
  )
}

function NoTokens({ isFiltered, create }: { isFiltered: boolean; create: ReactNode }) {
  if (isFiltered) {
    return <NothingFound title="No token has this in its name" all="Show all tokens" />
  }
  return (
    <EmptyState icon="key" title="No management tokens yet" action={create}>
      <p>A developer signs in to this console with one.</p>
    </EmptyState>
  )
}

function useTokens(project: string, asked: ReturnType<typeof useListSearch>) {
  const { keyOf, inTenant } = useApi()
  return useQuery({
    queryKey: keyOf('tokens', project, asked),
    queryFn: ({ signal }) => inTenant(project, '-').admin.tokens.list(asked, { signal }),
    placeholderData: keepPreviousData,
  })
}
