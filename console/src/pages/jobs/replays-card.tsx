import type { RunningJobs } from '@surehook/client'
import { count } from '../../parts/data/numbers.ts'
import { type Column, DataTable } from '../../parts/data/tables/data-table.tsx'
import { tenantColumn } from '../../parts/data/tables/tenant-columns.tsx'
import { Time } from '../../parts/data/time/time.tsx'
import { EmptyState } from '../../parts/feedback/empty-state.tsx'
import { Card } from '../../parts/layout/page.tsx'
import { idOf, SpanCell, webhookColumn } from './job-columns.tsx'

type Replay = RunningJobs['replays'][number]

const columns: readonly Column<Replay>[] = [
  webhookColumn,
  tenantColumn,
  {
    id: 'span',
    header: 'Changes of',
    cell: (replay) => <SpanCell {...replay} />,
  },
  { id: 'left', header: 'Records left', cell: ({ left }) => count(left), align: 'end' },
  { id: 'read', header: 'Changes read', cell: ({ scanned }) => count(scanned), align: 'end' },
  {
    id: 'made',
    header: 'Deliveries made',
    cell: ({ deliveries }) => count(deliveries),
    align: 'end',
  },
  {
    id: 'since',
    header: 'Started',
    cell: ({ createdAt }) => <Time at={createdAt} />,
  },
]

type ReplaysCardProps = { jobs: Pick<RunningJobs, 'replays' | 'replaysLeftOut'> }

export function ReplaysCard({ jobs: { replays, replaysLeftOut } }: ReplaysCardProps) {
  return (
    <Card title="Replays" isFlush>
      {replays.length === 0 ? (
        <EmptyState icon="replay" title="No replay runs">
          <p>A developer starts one on the page of a webhook.</p>
        </EmptyState>
      ) : (
        <>
          <DataTable label="Replays" columns={columns} rows={replays} idOf={idOf} />
          <p className="table-note">
            {replaysLeftOut > 0 && `${count(replaysLeftOut)} more are not shown. `}
            Records of all tenants count as left: they share the log.
          </p>
        </>
      )}
    </Card>
  )
}
