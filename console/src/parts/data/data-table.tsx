import { createColumnHelper, flexRender, tableFeatures, useTable } from '@tanstack/react-table'
import { type ReactNode, useMemo } from 'react'
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
    return columns.map(({ id, header, cell }) =>
      helper.display({ id, header, cell: ({ row }) => cell(row.original) }),
    )
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
            <tr key={row.id}>
              {row.getAllCells().map((cell) => (
                <td key={cell.id} className={classOf(cell.column.id)}>
                  {flexRender(cell.column.columnDef.cell, cell.getContext())}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function classesOf<Row>(column: Column<Row> | undefined): string | undefined {
  const names = [
    column?.align === 'end' && 'align-end',
    column?.isOptional === true && 'is-optional',
  ].filter(Boolean)
  return names.length === 0 ? undefined : names.join(' ')
}
