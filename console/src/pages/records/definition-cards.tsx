import type { Table } from '@surehook/client'
import { type Column, DataTable } from '../../parts/data/tables/data-table.tsx'
import { Card, Facts } from '../../parts/layout/page.tsx'
import { accessText } from '../tables/access-text.ts'

type Definition = Table['columns'][number]

const columns: readonly Column<Definition>[] = [
  { id: 'name', header: 'Column', cell: ({ name }) => <code>{name}</code>, isTitle: true },
  { id: 'type', header: 'Type', cell: ({ type }) => type },
  { id: 'required', header: 'Required', cell: ({ required }) => (required ? 'yes' : '–') },
  { id: 'unique', header: 'Unique', cell: ({ unique }) => (unique ? 'yes' : '–') },
  {
    id: 'default',
    header: 'Default',
    cell: (column) =>
      column.default === null ? '–' : <code>{JSON.stringify(column.default)}</code>,
  },
]
const nameOf = ({ name }: Definition) => name

type DefinitionProps = { table: Table }

export function ColumnsCard({ table }: DefinitionProps) {
  return (
    <Card isFlush>
      <DataTable label="Columns" columns={columns} rows={table.columns} idOf={nameOf} />
    </Card>
  )
}

/** What users may do, by their role. */
export function AccessCard({ table: { access } }: DefinitionProps) {
  return (
    <Card title="Access of users, by role">
      <Facts
        items={[
          ['Read', accessText(access.read)],
          ['Create', accessText(access.create)],
          ['Update', accessText(access.update)],
          ['Delete', accessText(access.delete)],
        ]}
      />
    </Card>
  )
}
