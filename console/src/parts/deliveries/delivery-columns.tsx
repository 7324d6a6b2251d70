import type { Delivery, FoundDelivery } from '@surehook/client'
import { Link } from 'react-router'
import { StatusBadge } from '../data/status-badge.tsx'
import type { Column } from '../data/tables/data-table.tsx'
import { Countdown, Time } from '../data/time/time.tsx'
import { outcomeText } from './outcome-text.ts'

export const deliveryPath = (webhookId: string, id: string) =>
  `/deliveries/${webhookId}/${encodeURIComponent(id)}`

/** The columns of every list of deliveries. */
export function deliveryColumns<Row extends Delivery>(
  webhookOf: (row: Row) => string,
): readonly Column<Row>[] {
  return [
    { id: 'status', header: 'Status', cell: ({ status }) => <StatusBadge status={status} /> },
    {
      id: 'id',
      header: 'Delivery',
      cell: (row) => (
        <Link
          to={deliveryPath(webhookOf(row), row.id)}
          data-row-link={row.id}
          className="mono nowrap"
        >
          {shortId(row.id)}
        </Link>
      ),
    },
    {
      id: 'answer',
      header: 'Answer',
      cell: (row) => <span className="nowrap">{outcomeText(row)}</span>,
    },
    {
      id: 'attempts',
      header: 'Attempts',
      cell: ({ attempts }) => attempts,
      align: 'end',
      isOptional: true,
    },
    {
      id: 'next',
      header: 'Next attempt',
      cell: ({ nextAttemptAt }) =>
        nextAttemptAt === null ? '–' : <Countdown until={nextAttemptAt} />,
      isOptional: true,
    },
    { id: 'created', header: 'Made', cell: ({ createdAt }) => <Time at={createdAt} /> },
  ]
}

/** The change of a delivery, for lists of several subscriptions. */
export const changeColumn: Column<FoundDelivery> = {
  id: 'change',
  header: 'Change',
  cell: ({ table, event, recordId }) => (
    <span className="cell-url cell-change">
      {event ?? 'Unknown'} {table !== null && <code>{table}</code>}{' '}
      {recordId !== null && <span className="quiet mono">{shortId(recordId)}</span>}
    </span>
  ),
  isOptional: true,
}

const shortId = (id: string) => (id.length > 13 ? `${id.slice(0, 8)}…${id.slice(-4)}` : id)
