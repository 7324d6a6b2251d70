import type { RunningJobs } from '@surehook/client'
import type { Column } from '../../parts/data/tables/data-table.tsx'
import { TenantUrlCell } from '../../parts/data/tables/tenant-columns.tsx'
import { ExactTime } from '../../parts/data/time/time.tsx'

type Job = Pick<
  RunningJobs['replays'][number],
  'id' | 'projectId' | 'environment' | 'webhookId' | 'webhookName' | 'url'
>

export const webhookColumn: Column<Job> = {
  id: 'webhook',
  header: 'Webhook',
  isTitle: true,
  cell: (job) => (
    <TenantUrlCell tenant={job} to={`/webhooks/${job.webhookId}`}>
      {job.webhookName ?? job.url ?? job.webhookId}
    </TenantUrlCell>
  ),
}

export const SpanCell = ({ from, until }: { from: string; until: string }) => (
  <span className="small">
    <ExactTime at={from} /> – <ExactTime at={until} />
  </span>
)

export const idOf = ({ id }: Job) => id
