import type { EventCounts } from '@surehook/client'
import { Link } from 'react-router'
import { eventPath } from '../../parts/data/event-path.ts'
import { visibleText } from '../../parts/data/json/json-tokens.ts'
import { plural } from '../../parts/data/numbers.ts'
import { Badge } from '../../parts/data/status-badge.tsx'
import type { Column } from '../../parts/data/tables/data-table.tsx'
import { ExactTime } from '../../parts/data/time/time.tsx'
import { useNow } from '../../parts/data/time/use-now.ts'
import { type EventRow, isMatched } from './event-rows.ts'

export type CountedRow = EventRow & { counts: EventCounts | undefined }

const pathOf = ({ eventId, timestamp }: EventRow) => eventPath(eventId, timestamp)

export const eventColumns: readonly Column<CountedRow>[] = [
  {
    id: 'at',
    header: 'When',
    cell: (row) => (
      <Link to={pathOf(row)} className="nowrap" data-row-link={row.eventId}>
        <ExactTime at={row.timestamp} />
      </Link>
    ),
    isTitle: true,
  },
  { id: 'operation', header: 'Operation', cell: ({ event }) => event },
  {
    id: 'table',
    header: 'Table',
    cell: ({ table }) => <code className="breakable">{visibleText(table)}</code>,
  },
  {
    id: 'record',
    header: 'Record',
    cell: ({ recordId }) =>
      recordId === null ? '–' : <code className="breakable">{visibleText(recordId)}</code>,
  },
  { id: 'webhooks', header: 'Webhooks', cell: (row) => <Webhooks row={row} /> },
  { id: 'outcomes', header: 'Outcomes', cell: ({ counts }) => <Outcomes counts={counts} /> },
]

function Webhooks({ row }: { row: CountedRow }) {
  const { counts } = row
  if (counts === undefined) return <span className="quiet">Counting…</span>
  if (counts.webhooks > 0)
    return <span className="nowrap">{plural(counts.webhooks, 'webhook')}</span>
  return <NoWebhook row={row} />
}

function NoWebhook({ row }: { row: EventRow }) {
  const now = useNow()
  if (!isMatched(row, now.getTime())) return <span className="quiet">No webhook yet</span>
  return (
    <span>
      No webhook.{' '}
      <Link to={pathOf(row)} className="nowrap">
        Why?<span className="visually-hidden"> The event of {row.timestamp}</span>
      </Link>
    </span>
  )
}

const outcomes = [
  ['delivered', 'good'],
  ['pending', 'info'],
  ['failed', 'bad'],
  ['cancelled', 'quiet'],
] as const

function Outcomes({ counts }: { counts: EventCounts | undefined }) {
  const shown = outcomes.filter(([name]) => counts !== undefined && counts[name] > 0)
  if (shown.length === 0) return '–'
  return (
    <span className="row">
      {shown.map(([name, tone]) => (
        <Badge key={name} tone={tone}>
          {counts?.[name]} {name}
        </Badge>
      ))}
    </span>
  )
}
