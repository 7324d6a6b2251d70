import { useMemo } from 'react'
import { visibleText } from '../../parts/data/json/json-tokens.ts'
import { Badge } from '../../parts/data/status-badge.tsx'
import { type Column, DataTable } from '../../parts/data/tables/data-table.tsx'
import { type FieldRow, type Fields, fieldRows } from './field-rows.ts'

type RecordFieldsProps = {
  record: Fields
  changedFields: readonly string[]
  /** The record before the change, if the log has it. */
  before: Fields | null
}

const name: Column<FieldRow> = {
  id: 'name',
  header: 'Field',
  isTitle: true,
  cell: (row) => <code>{row.name}</code>,
}
const change: Column<FieldRow> = {
  id: 'changed',
  header: 'Change',
  cell: ({ isChanged }) => (isChanged ? <Badge tone="info">Changed</Badge> : '–'),
}
const value = (text: string | undefined) =>
  text === undefined ? (
    <span className="quiet">not set</span>
  ) : (
    <code className="breakable">{visibleText(text)}</code>
  )
const before: Column<FieldRow> = {
  id: 'before',
  header: 'Before',
  cell: (row) => (row.isChanged ? value(row.before) : '–'),
}
const after = (header: string): Column<FieldRow> => ({
  id: 'value',
  header,
  cell: (row) => value(row.after),
})

const withBefore = [name, change, before, after('After')]
const withoutBefore = [name, change, after('Value')]

/** The fields of a record. Those that the change set come first. */
export function RecordFields({ record, changedFields, before: old }: RecordFieldsProps) {
  const rows = useMemo(() => fieldRows(record, changedFields, old), [record, changedFields, old])
  const columns = old === null ? withoutBefore : withBefore
  return <DataTable label="Fields of the record" columns={columns} rows={rows} idOf={nameOf} />
}

const nameOf = (row: FieldRow) => row.name
