import type { Stored, Table } from '@surehook/client'
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { Link, useParams, useSearchParams } from 'react-router'
import { useApi } from '../../api/api.ts'
import { useTable } from '../../api/queries.ts'
import { asUserParam } from '../../api/use-as-user.ts'
import { type Column, DataTable } from '../../parts/data/tables/data-table.tsx'
import { Pager } from '../../parts/data/tables/pager.tsx'
import { Time } from '../../parts/data/time/time.tsx'
import { EmptyState } from '../../parts/feedback/empty-state.tsx'
import { faultOf } from '../../parts/feedback/faults.ts'
import { FaultNotice } from '../../parts/feedback/notice.tsx'
import { QueryView } from '../../parts/feedback/query-view.tsx'
import { ButtonLink } from '../../parts/forms/button.tsx'
import { Card, Page as Frame } from '../../parts/layout/page.tsx'
import { Tabs } from '../../parts/layout/tabs.tsx'
import { AsUser } from './as-user.tsx'
import { AccessCard, ColumnsCard, SourceCard } from './definition-cards.tsx'
import { RecordFilters } from './record-filters.tsx'
import { recordQueryOf } from './record-query.ts'
import { TableMenu } from './table-menu.tsx'

/** The filters stay for the way back. */
function withTab(params: URLSearchParams, tab: string): URLSearchParams {
  const next = new URLSearchParams(params)
  if (tab === firstTab) next.delete('tab')
  else next.set('tab', tab)
  return next
}

type Row = Stored<Record<string, unknown>>

const firstTab = 'records'

export function Page() {
  const { table = '' } = useParams()
  const query = useTable(table)
  const [params, setParams] = useSearchParams()
  const tab = params.get('tab') ?? firstTab
  const user = params.get(asUserParam) ?? ''
  return (
    <Frame
      title={table}
      parent={{ to: '/tables', label: 'Tables' }}
      actions={
        <>
          {!query.data?.source && <RecordActions table={table} />}
          <TableMenu table={table} />
        </>
      }
    >
      <QueryView query={query}>
        {(stored) =>
          stored.source ? (
            <div className="stack">
              <SourceCard source={stored.source} />
              <ColumnsCard table={stored} />
            </div>
          ) : (
            <Tabs
              label={`Parts of ${table}`}
              value={tab}
              onChange={(id) => setParams(withTab(params, id))}
              items={[
                {
                  id: firstTab,
                  label: 'Records',
                  content: <RecordList table={stored} user={user} />,
                },
                { id: 'definition', label: 'Definition', content: <ColumnsCard table={stored} /> },
                { id: 'access', label: 'Access', content: <AccessCard table={stored} /> },
              ]}
            />
          )
        }
      </QueryView>
    </Frame>
  )
}

const RecordActions = ({ table }: { table: string }) => (
  <>
    <ButtonLink look="primary" icon="plus" to={`/tables/${table}/new-record`}>
      New record
    </ButtonLink>
    <ButtonLink to={`/tables/${table}/define`}>Define</ButtonLink>
  </>
)

/** `user` is the id of the user to read as, or empty. */
function RecordList({ table, user }: { table: Table; user: string }) {
  const { surehook, keyOf } = useApi()
  const [params] = useSearchParams()
  const { query: asked, violations } = recordQueryOf(params)
  const query = useQuery({
    queryKey: keyOf('records', table.name, asked, user),
    queryFn: ({ signal }) =>
      surehook.table(table.name).list(asked, { signal, ...(user && { asUser: user }) }),
    enabled: violations.length === 0,
    // The records of another user must not show below the name of this one.
    placeholderData: (records, before) => (before?.queryKey.at(-1) === user ? records : undefined),
  })
  const columns = useMemo(() => columnsOf(table, user), [table, user])
  return (
    <div className="stack">
      <AsUser />
      <RecordFilters
        table={table}
        violations={[...violations, ...faultOf(query.error).violations]}
      />
      {query.error !== null && <FaultNotice error={query.error} />}
      {query.error === null && query.data !== undefined && (
        <Card isFlush>
          {query.data.records.length === 0 ? (
            <NoRecords table={table.name} isFiltered={params.has('where')} isOfUser={user !== ''} />
          ) : (
            <DataTable
              label={`Records of ${table.name}`}
              columns={columns}
              rows={query.data.records}
              idOf={idOf}
            />
          )}
          <Pager next={query.data.nextCursor} />
        </Card>
      )}
    </div>
  )
}

const idOf = ({ id }: Row) => id

/** The first columns. All of them are on the page of the record. */
const mostColumns = 6

function columnsOf({ name, columns }: Table, user: string): readonly Column<Row>[] {
  const search = user === '' ? '' : `?${asUserParam}=${encodeURIComponent(user)}`
  return [
    {
      id: 'id',
      header: 'Record',
      isTitle: true,
      cell: ({ id }) => (
        <Link to={`/tables/${name}/records/${id}${search}`} className="mono nowrap" title={id}>
          {id.slice(0, 8)}…{id.slice(-4)}
        </Link>
      ),
    },
    ...columns.slice(0, mostColumns).map((column) => ({
      id: column.name,
      header: column.name,
      cell: (row: Row) => <Value value={row[column.name]} />,
    })),
    { id: 'updatedAt', header: 'Changed', cell: ({ updatedAt }) => <Time at={updatedAt} /> },
  ]
}

function Value({ value }: { value: unknown }) {
  if (value === null || value === undefined) return <span className="quiet">–</span>
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return (
    <span className="cell-url cell-value" title={text.slice(0, 500)}>
      {text.slice(0, 200)}
    </span>
  )
}

type NoRecordsProps = { table: string; isFiltered: boolean; isOfUser: boolean }

function NoRecords({ table, isFiltered, isOfUser }: NoRecordsProps) {
  if (isFiltered) {
    return (
      <EmptyState
        icon="search"
        title="No record matches"
        action={<ButtonLink to={`/tables/${table}`}>Show all records</ButtonLink>}
      />
    )
  }
  if (isOfUser) return <EmptyState icon="table" title="The user sees no record of this table" />
  return (
    <EmptyState
      icon="table"
      title="No records yet"
      action={
        <ButtonLink look="primary" icon="plus" to={`/tables/${table}/new-record`}>
          New record
        </ButtonLink>
      }
    >
      <p>Webhooks of the table deliver each change of a record.</p>
    </EmptyState>
  )
}
