import { createColumnHelper, flexRender, tableFeatures, useTable } from '@tanstack/react-table'
import { memo, type ReactNode, useMemo } from 'react'
import './data-table.css'

export type Column<Row> = {
  id: string
  header: string
  cell: (row: Row) => ReactNode
  /** Numbers align at their end. */
  align?: 'end'
  /** Narrow screens leave the column out. The page of the row must show it. */
  isOptional?: boolean
}

type DataTableProps<Row extends object> = {
  /** What the table lists. */
  label: string
  /** A constant, or memoised. */
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  idOf: (row: Row) => string
}

const features = tableFeatures({})

/** A dense table. A wide one scrolls sideways in its own region. */
export function DataTable<Row extends object>({ label, columns, rows, idOf }: DataTableProps<Row>) {
  const definitions = useMemo(() => {
    const helper = createColumnHelper<typeof features, Row>()
    return columns.map(({ id, header }) => helper.display({ id, header }))
  }, [columns])
  const table = useTable({ features, columns: definitions, data: rows, getRowId: idOf })
  const classOf = (id: string) => classesOf(columns.find((column) => column.id === id))
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls
    <div className="table-scroll" role="region" aria-label={label} tabIndex={0}>
      <table className="table">
        <thead>
          {table.getHeaderGroups().map((group) => (
            <tr key={group.id}>
              {group.headers.map((header) => (
                <th key={header.id} scope="col" className={classOf(header.column.id)}>
                  {flexRender(header.column.columnDef.header, header.getContext())}
                </th>
              ))}
            </tr>
          ))}
        </thead>
        <tbody>
          {table.getRowModel().rows.map((row) => (
            <BodyRow key={row.id} row={row.original} columns={columns} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

type BodyRowProps<Row extends object> = { row: Row; columns: readonly Column<Row>[] }

/** A list that gets a row draws that row, not all of them. */
const BodyRow = memo(<Row extends object>({ row, columns }: BodyRowProps<Row>) => (
  <tr>
    {columns.map((column) => (
      <td key={column.id} className={classesOf(column)}>
        {column.cell(row)}
      </td>
    ))}
  </tr>
)) as <Row extends object>(props: BodyRowProps<Row>) => ReactNode

function classesOf<Row>(column: Column<Row> | undefined): string | undefined {
  const names = [
    column?.align === 'end' && 'align-end',
    column?.isOptional === true && 'is-optional',
  ].filter(Boolean)
  return names.length === 0 ? undefined : names.join(' ')
}
