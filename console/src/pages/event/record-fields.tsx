import { useMemo } from 'react'
import { type Column, DataTable } from '../../parts/data/data-table.tsx'
import { visibleText } from '../../parts/data/json-tokens.ts'
import { Badge } from '../../parts/data/status-badge.tsx'

type Field = { name: string; value: unknown; isChanged: boolean }

type RecordFieldsProps = { record: Record<string, unknown>; changedFields: readonly string[] }

const columns: readonly Column<Field>[] = [
  { id: 'name', header: 'Field', cell: ({ name }) => <code>{name}</code> },
  {
    id: 'changed',
    header: 'Change',
    cell: ({ isChanged }) => (isChanged ? <Badge tone="info">Changed</Badge> : '–'),
  },
  {
    id: 'value',
    header: 'Value',
    cell: ({ value }) => <code className="breakable">{visibleText(JSON.stringify(value))}</code>,
  },
]

/** The fields of a record. Those that the change set come first. */
export function RecordFields({ record, changedFields }: RecordFieldsProps) {
  const rows = useMemo(() => {
    const fields = Object.entries(record).map(([name, value]) => {
      const isChanged = changedFields.includes(name)
      return { name, value, isChanged }
    })
    return fields.toSorted((a, b) => Number(b.isChanged) - Number(a.isChanged))
  }, [record, changedFields])
  return <DataTable label="Fields of the record" columns={columns} rows={rows} idOf={nameOf} />
}

const nameOf = ({ name }: Field) => name
