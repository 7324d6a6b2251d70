/* oxlint-disable jsx-a11y/no-redundant-roles, jsx-a11y/no-interactive-element-to-noninteractive-role --
   the elements of a card are none of a table for CSS, which would take their roles */
import { memo, type ReactNode, useRef } from 'react'
import { useCutHint } from './use-cut-hint.ts'
import './data-table.css'

export type Column<Row> = {
  id: string
  header: string
  cell: (row: Row) => ReactNode
  /** Numbers align at their end. */
  align?: 'end'
  /** Heads the card of its row, where the table is a list of cards. */
  isTitle?: boolean
}

type DataTableProps<Row extends object> = {
  /** What the table lists. */
  label: string
  /** A constant, or memoised. */
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  idOf: (row: Row) => string
}

/**
 * A dense table. Where it has no room, each row is a card with the header beside each value. Between
 * both, it scrolls sideways in its own region and its edge shows that. The roles stay, although the
 * cells of a card are no cells for CSS. The keys of lists move the focus from row to row.
 */
export function DataTable<Row extends object>({ label, columns, rows, idOf }: DataTableProps<Row>) {
  const scroll = useRef<HTMLDivElement>(null)
  useCutHint(scroll)
  return (
    <div className="table-place">
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls */}
      <div className="table-scroll" role="region" aria-label={label} tabIndex={0} ref={scroll}>
        <table className="table" role="table">
          <thead role="rowgroup">
            <tr role="row">
              {columns.map((column) => (
                <th key={column.id} scope="col" role="columnheader" className={classesOf(column)}>
                  {column.header}
                </th>
              ))}
            </tr>
          </thead>
          <tbody role="rowgroup">
            {rows.map((row) => (
              <BodyRow key={idOf(row)} row={row} columns={columns} />
            ))}
          </tbody>
        </table>
      </div>
    </div>
  )
}

type BodyRowProps<Row extends object> = { row: Row; columns: readonly Column<Row>[] }

/** A list that gets a row draws that row, not all of them. */
const BodyRow = memo(<Row extends object>({ row, columns }: BodyRowProps<Row>) => (
  <tr role="row" data-row tabIndex={-1}>
    {columns.map((column) => (
      <td key={column.id} role="cell" data-header={column.header} className={classesOf(column)}>
        {column.cell(row)}
      </td>
    ))}
  </tr>
)) as <Row extends object>(props: BodyRowProps<Row>) => ReactNode

function classesOf<Row>({ align, isTitle }: Column<Row>): string | undefined {
  const names = [align === 'end' && 'align-end', isTitle === true && 'is-title'].filter(Boolean)
  return names.length === 0 ? undefined : names.join(' ')
}
