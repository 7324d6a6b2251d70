import type { RunningJobs } from '@surehook/client'
import type { Column } from '../../parts/data/data-table.tsx'
import { ExactTime } from '../../parts/data/time.tsx'
import { TenantLink } from '../../parts/layout/tenant-link.tsx'

type Job = Pick<
  RunningJobs['replays'][number],
  'id' | 'projectId' | 'environment' | 'webhookId' | 'url'
>

/** Whose job it is. */
export const tenantColumn: Column<Job> = {
  id: 'tenant',
  header: 'Environment',
  cell: ({ projectId, environment }) => `${projectId} / ${environment}`,
}

export const webhookColumn: Column<Job> = {
  id: 'webhook',
  header: 'Webhook',
  cell: ({ projectId, environment, webhookId, url }) => (
    <span className="cell-main">
      <span className="cell-url">
        <TenantLink to={`/webhooks/${webhookId}`} projectId={projectId} environment={environment}>
          {url ?? webhookId}
        </TenantLink>
      </span>
    </span>
  ),
}

export const SpanCell = ({ from, until }: { from: string; until: string }) => (
  <span className="small">
    <ExactTime at={from} /> – <ExactTime at={until} />
  </span>
)

export const idOf = ({ id }: Job) => id
