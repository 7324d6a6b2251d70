import type { Ledger } from '@surehook/client'
import { useMemo } from 'react'
import { eventPath } from '../../parts/data/event-path.ts'
import { count } from '../../parts/data/numbers.ts'
import { type Column, DataTable } from '../../parts/data/tables/data-table.tsx'
import { tenantColumn } from '../../parts/data/tables/tenant-columns.tsx'
import { Card } from '../../parts/layout/page.tsx'
import { TenantLink } from '../../parts/layout/tenant-link.tsx'
import { isUnexpected, reasonTexts } from './ledger-text.ts'

type Hole = Ledger['holes'][number]

/** @param from the start of the ledger's span */
const columnsOf = (from: string): readonly Column<Hole>[] => [
  {
    id: 'event',
    header: 'Event',
    cell: ({ eventId, projectId, environment }) => (
      <TenantLink to={eventPath(eventId, from)} projectId={projectId} environment={environment}>
        <code className="breakable ledger-id">{eventId}</code>
      </TenantLink>
    ),
  },
  { id: 'reason', header: 'Why it is a hole', cell: ({ reason }) => reasonTexts[reason] },
  tenantColumn,
  {
    id: 'webhook',
    header: 'Webhook',
    isTitle: true,
    cell: (hole) => <WebhookOf hole={hole} />,
  },
]

/** A replay of the log sends what is missing. */
function WebhookOf({ hole }: { hole: Hole }) {
  const { webhookId, projectId, environment } = hole
  const tenant = { projectId, environment }
  if (isUnexpected(hole)) {
    return (
      <TenantLink to={`/webhooks/${webhookId}`} {...tenant}>
        Open the webhook
      </TenantLink>
    )
  }
  return (
    <TenantLink to={`/webhooks/${webhookId}/replay`} {...tenant}>
      Replay to the webhook
    </TenantLink>
  )
}

const idOf = ({ eventId, webhookId, reason, asked }: Hole) =>
  [eventId, webhookId, reason, asked].join(' ')

/** More than this nobody reads. The command lists them all. */
const shown = 200

/** The deliveries that are missing, each with its event. */
export function HolesCard({ ledger }: { ledger: Ledger }) {
  const { from, holes, holesLeftOut } = ledger
  const columns = useMemo(() => columnsOf(from), [from])
  if (holes.length === 0) return null
  const rows = holes.slice(0, shown)
  const more = holes.length - rows.length + holesLeftOut
  return (
    <Card title="Holes" isFlush>
      <DataTable label="Holes" columns={columns} rows={rows} idOf={idOf} />
      <p className="table-note">
        {more > 0 && `${count(more)} more are not shown. `}
        Events and webhooks open in a new tab. Sign in there with a management token of the project.
      </p>
    </Card>
  )
}
