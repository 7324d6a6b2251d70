import type { ManagementToken } from '@surehook/client'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { useParams, useSearchParams } from 'react-router'
import { useApi } from '../../api/api.ts'
import { type Column, DataTable } from '../../parts/data/tables/data-table.tsx'
import { Pager } from '../../parts/data/tables/pager.tsx'
import { Time } from '../../parts/data/time/time.tsx'
import { EmptyState } from '../../parts/feedback/empty-state.tsx'
import { QueryView } from '../../parts/feedback/query-view.tsx'
import { Button } from '../../parts/forms/button.tsx'
import { Card, Page as Frame } from '../../parts/layout/page.tsx'
import { ExpiryCell } from './expiry-cell.tsx'
import { NewTokenDialog } from './new-token-dialog.tsx'
import { RevokeButton } from './revoke-button.tsx'
import { environmentsText, rightsText } from './token-draft.ts'

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
    header: 'Action',
    cell: (token) => <RevokeButton project={project} token={token} />,
  },
]

const idOf = ({ id }: ManagementToken) => id

export function Page() {
  const { project = '' } = useParams()
  const query = useTokens(project)
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
      <QueryView query={query}>
        {({ tokens, nextCursor }) => (
          <Card isFlush>
            {tokens.length === 0 ? (
              <EmptyState icon="key" title="No management tokens yet" action={create}>
                <p>A developer signs in to this console with one.</p>
              </EmptyState>
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

function useTokens(project: string) {
  const { keyOf, inTenant } = useApi()
  const [params] = useSearchParams()
  const cursor = params.get('cursor')
  return useQuery({
    queryKey: keyOf('tokens', project, cursor),
    queryFn: ({ signal }) =>
      inTenant(project, '-').admin.tokens.list(cursor === null ? {} : { cursor }, { signal }),
    placeholderData: keepPreviousData,
  })
}
