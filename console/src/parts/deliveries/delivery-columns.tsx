import type { FoundDelivery, Subscription } from '@surehook/client'
import { Link } from 'react-router'
import { StatusBadge } from '../data/status-badge.tsx'
import type { Column } from '../data/tables/data-table.tsx'
import { Due, Time } from '../data/time/time.tsx'
import { labelOf } from '../data/webhook-label.ts'
import { deliveryPath } from './delivery-path.ts'
import { outcomeText } from './outcome-text.ts'

/** The columns of every list of deliveries. */
export const deliveryColumns: readonly Column<FoundDelivery>[] = [
  { id: 'status', header: 'Status', cell: ({ status }) => <StatusBadge status={status} /> },
  {
    id: 'change',
    header: 'Change',
    cell: (row) => (
      <Link to={deliveryPath(row.webhookId, row.id)} data-row-link={row.id} className="cell-url">
        <Change delivery={row} />
      </Link>
    ),
    isTitle: true,
  },
  {
    id: 'answer',
    header: 'Answer',
    cell: (row) => <span className="nowrap">{outcomeText(row)}</span>,
  },
  { id: 'attempts', header: 'Attempts', cell: ({ attempts }) => attempts, align: 'end' },
  {
    id: 'next',
    header: 'Next attempt',
    cell: ({ nextAttemptAt }) => (nextAttemptAt === null ? '–' : <Due at={nextAttemptAt} />),
  },
  { id: 'created', header: 'Made', cell: ({ createdAt }) => <Time at={createdAt} /> },
]

/** Which webhook a delivery is for, in lists of several webhooks. */
export const webhookColumn = (
  webhooks: readonly Subscription[] | undefined,
): Column<FoundDelivery> => ({
  id: 'webhook',
  header: 'Webhook',
  cell: ({ webhookId }) => (
    <Link to={`/webhooks/${webhookId}`} className="cell-main">
      <span className="cell-url">{labelOf(webhookId, webhooks)}</span>
    </Link>
  ),
})

/** Such as `INSERT orders 0198c4…7f2a`. The job of a new delivery may not be read yet. */
function Change({ delivery: { table, event, recordId } }: { delivery: FoundDelivery }) {
  if (event === null) return 'Unknown change'
  return (
    <>
      {event} {table} {recordId !== null && <code>{shortId(recordId)}</code>}
    </>
  )
}

const shortId = (id: string) => (id.length > 13 ? `${id.slice(0, 8)}…${id.slice(-4)}` : id)
