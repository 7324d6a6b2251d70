import type { ChangeEvent } from '@surehook/client'
import { Link } from 'react-router'
import { eventPath } from '../event-path.ts'
import { ExactTime } from '../time/time.tsx'
import { type Column, DataTable } from './data-table.tsx'

const columns: readonly Column<ChangeEvent>[] = [
  { id: 'at', header: 'When', cell: ({ timestamp }) => <ExactTime at={timestamp} /> },
  { id: 'operation', header: 'Operation', cell: ({ event }) => event },
  { id: 'table', header: 'Table', cell: ({ table }) => <code>{table}</code> },
  {
    id: 'event',
    header: 'Event',
    cell: ({ id, timestamp }) => (
      <Link to={eventPath(id, timestamp)} className="mono nowrap" title={id}>
        {id.slice(0, 13)}…
      </Link>
    ),
    isTitle: true,
  },
  {
    id: 'changed',
    header: 'Changed fields',
    cell: ({ changed_fields: changed }) => (changed.length === 0 ? '–' : changed.join(', ')),
  },
  {
    id: 'record',
    header: 'Record',
    cell: ({ record }) => (
      <span className="cell-main">
        <code className="cell-url">{JSON.stringify(record).slice(0, 300)}</code>
      </span>
    ),
  },
]
const idOf = ({ id }: ChangeEvent) => id

/** Changes of records. Each links to its deliveries. */
export function ChangesTable({ label, rows }: { label: string; rows: readonly ChangeEvent[] }) {
  return <DataTable label={label} columns={columns} rows={rows} idOf={idOf} />
}
