import type { Ledger } from '@surehook/client'
import { count } from '../../parts/data/numbers.ts'
import { Badge } from '../../parts/data/status-badge.tsx'
import { type Column, DataTable } from '../../parts/data/tables/data-table.tsx'
import { tenantColumn } from '../../parts/data/tables/tenant-columns.tsx'
import { Card } from '../../parts/layout/page.tsx'
import { TenantLink } from '../../parts/layout/tenant-link.tsx'
import { holesOf, waitingOf } from './ledger-text.ts'

type WebhookCounts = Ledger['webhooks'][number]

const columns: readonly Column<WebhookCounts>[] = [
  tenantColumn,
  {
    id: 'webhook',
    header: 'Webhook',
    isTitle: true,
    cell: ({ webhookId, projectId, environment }) => (
      <TenantLink to={`/webhooks/${webhookId}`} projectId={projectId} environment={environment}>
        <code className="breakable ledger-id">{webhookId}</code>
      </TenantLink>
    ),
  },
  {
    id: 'holes',
    header: 'Holes',
    cell: (line) => <Holes holes={holesOf(line)} />,
    align: 'end',
  },
  { id: 'matched', header: 'Must be made', cell: (line) => count(line.matched), align: 'end' },
  { id: 'delivered', header: 'Delivered', cell: (line) => count(line.delivered), align: 'end' },
  { id: 'waiting', header: 'Waiting', cell: (line) => count(waitingOf(line)), align: 'end' },
  {
    id: 'dead',
    header: 'Dead letters',
    cell: ({ dead }) => count(dead),
    align: 'end',
  },
]

const Holes = ({ holes }: { holes: number }) =>
  holes === 0 ? '0' : <Badge tone="bad">{count(holes)}</Badge>

const idOf = ({ projectId, environment, webhookId }: WebhookCounts) =>
  [projectId, environment, webhookId].join(' ')

const shown = 100

/** The same counts for each webhook. Those with holes come first. */
export function LinesCard({ ledger: { webhooks, webhooksLeftOut } }: { ledger: Ledger }) {
  if (webhooks.length === 0) return null
  const rows = webhooks.slice(0, shown)
  const more = webhooks.length - rows.length + webhooksLeftOut
  return (
    <Card title="Webhooks" isFlush>
      <DataTable label="Webhooks of the ledger" columns={columns} rows={rows} idOf={idOf} />
      {more > 0 && <p className="table-note">{count(more)} more are not shown.</p>}
    </Card>
  )
}
