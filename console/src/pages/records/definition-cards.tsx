import type { Table } from '@surehook/client'
import { rolesOf, rulesOf } from '../../parts/data/access/access.ts'
import { AccessMatrix } from '../../parts/data/access/access-matrix.tsx'
import { RuleList } from '../../parts/data/access/rule-list.tsx'
import { type Column, DataTable } from '../../parts/data/tables/data-table.tsx'
import { ButtonLink } from '../../parts/forms/button.tsx'
import { Card, Facts } from '../../parts/layout/page.tsx'

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

type TableSource = NonNullable<Table['source']>

/** Where the rows of a table of a source are. */
export function SourceCard({ source: { name, relation, exclude } }: { source: TableSource }) {
  return (
    <Card title="Rows in another database">
      <Facts
        items={[
          ['Source', <code key="source">{name}</code>],
          ['Relation', <code key="relation">{relation}</code>],
          ['Left out', exclude.length === 0 ? 'no column' : exclude.join(', ')],
        ]}
      />
      <p className="quiet">
        Their changes are events. Read and change the rows in their own database.
      </p>
    </Card>
  )
}

/** What users may do, by their role. */
export function AccessCard({ table: { name, access } }: DefinitionProps) {
  const roles = rolesOf(access, [])
  const rules = rulesOf(access)
  return (
    <Card
      title="Access of users, by role"
      actions={<ButtonLink to={`/tables/${name}/define`}>Change the access</ButtonLink>}
    >
      {roles.length === 0 ? (
        <p className="quiet">No user may do anything: only management tokens may.</p>
      ) : (
        <AccessMatrix roles={roles} access={access} />
      )}
      {rules.length > 0 && <RuleList rules={rules} />}
    </Card>
  )
}
