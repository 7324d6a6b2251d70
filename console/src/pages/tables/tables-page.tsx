import type { Table } from '@surehook/client'
import { Link } from 'react-router'
import { useTables } from '../../api/queries.ts'
import { type Column, DataTable } from '../../parts/data/tables/data-table.tsx'
import { Time } from '../../parts/data/time/time.tsx'
import { EmptyState } from '../../parts/feedback/empty-state.tsx'
import { QueryView } from '../../parts/feedback/query-view.tsx'
import { ButtonLink } from '../../parts/forms/button.tsx'
import { Card, Page as Frame } from '../../parts/layout/page.tsx'
import { accessText } from './access-text.ts'

const columns: readonly Column<Table>[] = [
  {
    id: 'name',
    header: 'Table',
    isTitle: true,
    cell: ({ name }) => (
      <Link to={`/tables/${name}`} className="mono">
        {name}
      </Link>
    ),
  },
  { id: 'columns', header: 'Columns', cell: (table) => table.columns.length, align: 'end' },
  {
    id: 'rows',
    header: 'Rows',
    cell: ({ source }) => (source ? `${source.name}: ${source.relation}` : 'here'),
  },
  { id: 'read', header: 'Who reads', cell: ({ access }) => accessText(access.read) },
  {
    id: 'write',
    header: 'Who creates',
    cell: ({ access }) => accessText(access.create),
  },
  {
    id: 'changed',
    header: 'Defined',
    cell: ({ updatedAt }) => <Time at={updatedAt} />,
  },
]
const nameOf = ({ name }: Table) => name

export function Page() {
  const query = useTables()
  return (
    <Frame
      title="Tables"
      description="Each change of a record is an event that webhooks can deliver."
      actions={<NewTable />}
    >
      <QueryView query={query}>
        {(tables) => (
          <Card isFlush>
            {tables.length === 0 ? (
              <NoTables />
            ) : (
              <DataTable label="Tables" columns={columns} rows={tables} idOf={nameOf} />
            )}
          </Card>
        )}
      </QueryView>
    </Frame>
  )
}

const NewTable = () => (
  <ButtonLink look="primary" icon="plus" to="/new-table">
    New table
  </ButtonLink>
)

const NoTables = () => (
  <EmptyState icon="table" title="No tables yet" action={<NewTable />}>
    <p>A table holds records, and webhooks deliver their changes.</p>
  </EmptyState>
)
