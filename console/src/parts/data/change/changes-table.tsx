import type { ChangeEvent } from '@surehook/client'
import { Link } from 'react-router'
import { eventPath } from '../event-path.ts'
import { type Column, DataTable } from '../tables/data-table.tsx'
import { ExactTime } from '../time/time.tsx'
import { RecordChange } from './record-change.tsx'

/** The fields of a row, before the reader asks for all. */
const shownFields = 6

const columns: readonly Column<ChangeEvent>[] = [
  {
    id: 'event',
    header: 'When',
    cell: ({ id, timestamp }) => (
      <Link to={eventPath(id, timestamp)} className="nowrap" data-row-link={id}>
        <ExactTime at={timestamp} />
      </Link>
    ),
    isTitle: true,
  },
  { id: 'operation', header: 'Operation', cell: ({ event }) => event },
  { id: 'table', header: 'Table', cell: ({ table }) => <code>{table}</code> },
  {
    id: 'record',
    header: 'Record',
    cell: ({ id, record, changed_fields: changedFields }) => (
      <div className="cell-main record-cell">
        <RecordChange
          label={`Record of the event ${id}`}
          record={record}
          changedFields={changedFields}
          most={shownFields}
        />
      </div>
    ),
  },
]
const idOf = ({ id }: ChangeEvent) => id

/** Changes of records. Each links to its event. */
export function ChangesTable({ label, rows }: { label: string; rows: readonly ChangeEvent[] }) {
  return <DataTable label={label} columns={columns} rows={rows} idOf={idOf} />
}
